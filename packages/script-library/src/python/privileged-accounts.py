"""Warns about local accounts with rights of root, or without a password, that are not expected."""
import os
import re
import sys

ACCOUNT = r"[a-z_][a-z0-9_-]{0,31}"
GROUPS = ("sudo", "wheel", "admin")
LISTED_MAX = 20


class Failure(Exception):
    """The script cannot do its work."""


def records(path, columns):
    try:
        with open(path, "r", encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n").split(":") for line in file]
    except OSError as error:
        raise Failure("%s cannot be read: %s" % (path, error.strerror))
    return [line for line in lines if len(line) >= columns]


def main():
    expected = set(part.strip() for part in os.environ.get("PARAM_EXPECTED", "root").split(",") if part.strip())
    if not all(re.match("^%s$" % ACCOUNT, name) for name in expected):
        raise Failure("expected must be names of users, separated by commas")
    users = records("/etc/passwd", 7)
    reasons = {}
    for user in users:
        if user[2] == "0":
            reasons.setdefault(user[0], []).append("has the user ID 0")
    privileged = {}
    for group in records("/etc/group", 4):
        if group[0] in GROUPS:
            privileged[group[2]] = group[0]
            for member in [each for each in group[3].split(",") if each]:
                reasons.setdefault(member, []).append("is in the group " + group[0])
    for user in users:
        if user[3] in privileged:
            reasons.setdefault(user[0], []).append("has the primary group " + privileged[user[3]])
    # An empty password is never expected.
    empty = [each[0] for each in records("/etc/shadow", 2) if each[1] == ""]
    findings = ["%s %s" % (name, " and ".join(why)) for name, why in sorted(reasons.items()) if name not in expected]
    findings += ["%s needs no password" % name for name in sorted(empty)]
    if findings:
        print("warning: %d findings on privileged accounts" % len(findings))
        print("\n".join(findings[:LISTED_MAX]))
        return 2
    print("ok: %d privileged accounts, all of them expected" % len(reasons))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
