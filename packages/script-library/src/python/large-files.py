"""Lists the largest files below a folder, without leaving its file system."""
import heapq
import os
import re
import stat
import sys


class Failure(Exception):
    """The script cannot do its work."""


def parameter(name, default=""):
    return os.environ.get("PARAM_" + name, default).strip()


def number(name, default, least, most):
    text = parameter(name.upper(), default)
    if not re.match(r"^\d{1,9}$", text) or not least <= int(text) <= most:
        raise Failure("%s must be a number from %d to %d" % (name, least, most))
    return int(text)


def files_below(folder):
    """Each file with the disk space that it takes; links are not followed, and a second name counts once."""
    device, seen = os.lstat(folder).st_dev, set()
    pending = [folder]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if info.st_dev != device:
                continue
            if stat.S_ISDIR(info.st_mode):
                pending.append(entry.path)
            elif stat.S_ISREG(info.st_mode) and (info.st_nlink == 1 or info.st_ino not in seen):
                if info.st_nlink > 1:
                    seen.add(info.st_ino)
                yield info.st_blocks * 512, entry.path


def main():
    folder = parameter("FOLDER", "/")
    count, least = number("count", "20", 1, 100), number("min_mebibytes", "100", 1, 10 ** 6)
    if not os.path.isabs(folder):
        raise Failure("folder must be an absolute path")
    if not os.path.isdir(folder):
        raise Failure("there is no folder %s" % folder)
    large = (each for each in files_below(folder) if each[0] >= least * 1024 * 1024)
    found = heapq.nlargest(count, large)
    if not found:
        print("ok: no file below %s takes %d MiB or more" % (folder, least))
        return 0
    print("ok: %d files take %d MiB or more each; the largest first" % (len(found), least))
    for size, path in found:
        print("%8d MiB  %s" % (size // (1024 * 1024), path.encode("utf-8", "backslashreplace").decode("utf-8")))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
