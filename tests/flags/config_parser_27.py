"""Answers each line of stdin, an rc text as JSON, with what CPython 2.7's ConfigParser makes of it. Runs in CPython 2.7."""

import json
import sys


def read(text):
    """Sections with their own options, or the name of the error."""
    import ConfigParser
    import StringIO

    parser = ConfigParser.RawConfigParser()
    try:
        parser.readfp(StringIO.StringIO(text.encode("utf-8")))
    except ConfigParser.Error as error:
        return [{}, type(error).__name__]
    sections = dict((name, dict(options)) for name, options in parser._sections.items())  # noqa: C402
    for options in sections.values():
        del options["__name__"]
    sections["DEFAULT"] = dict(parser.defaults())
    return [sections, None]


for line in iter(sys.stdin.readline, ""):
    sys.stdout.write(json.dumps(read(json.loads(line))) + "\n")
    sys.stdout.flush()
