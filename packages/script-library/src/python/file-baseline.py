"""Compares files with a stored baseline of their hashes, and warns about every difference."""
import hashlib
import json
import os
import re
import stat
import sys
import tempfile

STORE = "/var/lib/muster-scripts/baselines"
FILES_MAX = 20000
BYTES_MAX = 64 * 1024 * 1024
LISTED_MAX = 20


class Failure(Exception):
    """The script cannot do its work."""


def parameter(name, default=""):
    return os.environ.get("PARAM_" + name, default).strip()


def described(path):
    """What the baseline keeps of one file, or nothing of what is neither a file nor a link."""
    info = os.lstat(path)
    record = {"mode": "%04o" % stat.S_IMODE(info.st_mode), "owner": "%d:%d" % (info.st_uid, info.st_gid)}
    if stat.S_ISLNK(info.st_mode):
        record["link"] = os.readlink(path)
    elif not stat.S_ISREG(info.st_mode):
        return None
    elif info.st_size > BYTES_MAX:
        record["size"] = info.st_size
    else:
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        record["sha256"] = digest.hexdigest()
    return record


def collect(roots):
    records = {}

    def add(path):
        try:
            record = described(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise Failure("%s cannot be read: %s" % (path, error.strerror))
        if record is not None:
            records[path] = record
        if len(records) > FILES_MAX:
            raise Failure("there are more than %d files; give fewer folders" % FILES_MAX)

    for root in roots:
        if not os.path.isabs(root) or os.path.normpath(root) in ("/", "//"):
            raise Failure("paths must be absolute and below /: %s" % root)
        if not os.path.lexists(root):
            raise Failure("there is no %s" % root)
        if os.path.isdir(root) and not os.path.islink(root):
            for folder, folders, files in os.walk(root):
                for name in files + [each for each in folders if os.path.islink(os.path.join(folder, each))]:
                    add(os.path.join(folder, name))
        else:
            add(root)
    return records


def read(path):
    """The stored baseline; nothing if there is none or it is damaged."""
    try:
        with open(path, "r", encoding="utf-8", errors="surrogateescape") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return None


def write(path, baseline):
    os.makedirs(STORE, mode=0o700, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=STORE)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(baseline, file, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def main():
    name, roots = parameter("NAME", "default"), [part.strip() for part in parameter("PATHS").split(",") if part.strip()]
    accept = parameter("ACCEPT", "false")
    if not re.match(r"^[a-z0-9][a-z0-9-]{0,63}$", name):
        raise Failure("name must be lower-case letters, digits and -")
    if not roots:
        raise Failure("paths must not be empty")
    if accept not in ("true", "false"):
        raise Failure("accept must be true or false")
    roots = sorted(set(os.path.normpath(root) for root in roots))
    path = os.path.join(STORE, name + ".json")
    found = {"paths": roots, "files": collect(roots)}
    stored = read(path)
    if stored is None and os.path.exists(path) and accept == "false":
        raise Failure("the baseline %s is damaged; run with accept to store it again" % name)
    if stored is None or accept == "true":
        if stored == found:
            print("unchanged: the baseline %s has these %d files" % (name, len(found["files"])))
            return 0
        write(path, found)
        print("changed: the baseline %s has %d files" % (name, len(found["files"])))
        return 0
    if stored["paths"] != roots:
        raise Failure("the baseline %s is of other paths; run with accept to replace it" % name)
    before, now = stored["files"], found["files"]
    differences = ["new: " + each for each in sorted(now.keys() - before.keys())]
    differences += ["gone: " + each for each in sorted(before.keys() - now.keys())]
    differences += ["changed: " + each for each in sorted(now.keys() & before.keys()) if now[each] != before[each]]
    if differences:
        print("warning: %d files differ from the baseline %s" % (len(differences), name))
        for line in differences[:LISTED_MAX]:
            print(line.encode("utf-8", "backslashreplace").decode("utf-8"))
        return 2
    print("ok: %d files equal the baseline %s" % (len(now), name))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
