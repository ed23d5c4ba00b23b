"""Counts the lines of a log that contain a text, and warns if there are many."""
import os
import sys

path = {{path}}
text = {{text}}
warn_at = {{warn_at}}

# Only the end of a large log is read.
BYTES_MAX = 64 * 1024 * 1024


def main():
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - BYTES_MAX))
            count = sum(1 for line in file if text.encode("utf-8") in line)
    except OSError as error:
        print("error: the log cannot be read: %s" % error.strerror, file=sys.stderr)
        return 1
    if count >= warn_at:
        print("warning: %d lines have the text" % count)
        return 2
    print("ok: %d lines have the text" % count)
    return 0


sys.exit(main())
