"""The configuration that the libraries read at import (flags, rc files, environment variables): parsing, diagnosis, migration."""
