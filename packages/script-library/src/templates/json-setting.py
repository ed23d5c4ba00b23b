"""Sets one text in a JSON file, which it writes in one step."""
import json
import os
import shutil
import sys
import tempfile

path = {{path}}
key = {{key}}
value = {{value}}


def main():
    try:
        with open(path, "r", encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        print("error: the file cannot be read: %s" % error, file=sys.stderr)
        return 1
    *parents, last = key.split(".")
    place = document
    for parent in parents:
        place = place.setdefault(parent, {}) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        print("error: the key leads through a value that is no object", file=sys.stderr)
        return 1
    if place.get(last) == value:
        print("unchanged: the setting is in place")
        return 0
    place[last] = value
    handle, name = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2, ensure_ascii=False)
            file.write("\n")
        shutil.copystat(path, name)
        info = os.stat(path)
        os.chown(name, info.st_uid, info.st_gid)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    print("changed: the setting is in place")
    return 0


sys.exit(main())
