"""Measures the disk space of a folder, and warns if it is large."""
import os
import sys

folder = {{folder}}
warn_mebibytes = {{warn_mebibytes}}
field = {{field}}


def main():
    if not os.path.isdir(folder):
        print("error: there is no such folder", file=sys.stderr)
        return 1
    total, seen = 0, set()
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                info = os.lstat(os.path.join(where, name))
            except OSError:
                continue
            # A file with several names takes its space once.
            if info.st_nlink == 1 or (info.st_dev, info.st_ino) not in seen:
                seen.add((info.st_dev, info.st_ino))
                total += getattr(info, "st_blocks", (info.st_size + 511) // 512) * 512
    mebibytes = total // (1024 * 1024)
    if field:
        print("::muster-field %s=%d" % (field, mebibytes))
    if mebibytes >= warn_mebibytes:
        print("warning: the folder takes %d MiB" % mebibytes)
        return 2
    print("ok: the folder takes %d MiB" % mebibytes)
    return 0


sys.exit(main())
