"""What is installed and seen on this machine: interpreters, frameworks, libraries, GPUs."""
