"""Warns if the newest backup in a folder is too old or too small."""
import fnmatch
import os
import re
import stat
import sys
import time

ENTRIES_MAX = 200000


class Failure(Exception):
    """The script cannot do its work."""


def parameter(name, default=""):
    return os.environ.get("PARAM_" + name, default).strip()


def newest(folder, pattern):
    """The newest file below a folder whose name fits: its path, time and size."""
    best, seen = None, 0

    def refuse(error):
        raise Failure("%s cannot be read: %s" % (error.filename, error.strerror))

    for where, _, names in os.walk(folder, onerror=refuse):
        for name in names:
            seen += 1
            if seen > ENTRIES_MAX:
                raise Failure("%s has more than %d files" % (folder, ENTRIES_MAX))
            if not fnmatch.fnmatchcase(name, pattern):
                continue
            path = os.path.join(where, name)
            try:
                info = os.lstat(path)
            except FileNotFoundError:
                continue
            if stat.S_ISREG(info.st_mode) and (best is None or info.st_mtime > best[1]):
                best = (path, info.st_mtime, info.st_size)
    return best


def number(name, default, least, most):
    text = parameter(name.upper(), default)
    if not re.match(r"^\d{1,12}$", text) or not least <= int(text) <= most:
        raise Failure("%s must be a number from %d to %d" % (name, least, most))
    return int(text)


def main():
    folder, pattern, field = parameter("FOLDER"), parameter("PATTERN", "*"), parameter("FIELD")
    hours, least = number("hours", "26", 1, 8760), number("min_bytes", "1", 0, 10 ** 12 - 1)
    if not os.path.isabs(folder):
        raise Failure("folder must be an absolute path")
    if not os.path.isdir(folder):
        raise Failure("there is no folder %s" % folder)
    if "/" in pattern or not pattern:
        raise Failure("pattern must fit the names of files, such as *.tar.gz")
    if field and not re.match(r"^[a-z][a-z0-9_]{0,62}$", field):
        raise Failure("field must be the key of a custom field")
    found = newest(folder, pattern)
    if found is None:
        print("warning: %s has no file %s" % (folder, pattern))
        return 2
    path, written, size = found
    path = path.encode("utf-8", "backslashreplace").decode("utf-8")
    if field:
        print("::muster-field %s=%s" % (field, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(written))))
    age = (time.time() - written) / 3600
    if age > hours:
        print("warning: the newest backup is %d hours old: %s" % (age, path))
        return 2
    if size < least:
        print("warning: the newest backup has only %d bytes: %s" % (size, path))
        return 2
    print("ok: the newest backup is %d hours old and has %d bytes: %s" % (max(age, 0), size, path))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
