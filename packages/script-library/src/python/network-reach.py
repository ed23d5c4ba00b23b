"""Checks that names resolve and that ports of other machines answer."""
import os
import re
import socket
import sys
import time

TARGETS_MAX = 50


class Failure(Exception):
    """The script cannot do its work."""


def parameter(name, default=""):
    return os.environ.get("PARAM_" + name, default).strip()


def parse(text):
    match = re.match(r"^(?:\[([0-9A-Fa-f:]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$", text)
    if not match or (match.group(3) and not 1 <= int(match.group(3)) <= 65535):
        raise Failure("targets must be names or addresses, with or without ports: %s" % text)
    return match.group(1) or match.group(2), int(match.group(3)) if match.group(3) else None


def attempt(host, port, seconds):
    """The time in milliseconds that a connection took, or the resolution where no port is given."""
    begun = time.monotonic()
    if port is None:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    else:
        socket.create_connection((host, port), seconds).close()
    return (time.monotonic() - begun) * 1000


def main():
    targets = [part.strip() for part in parameter("TARGETS").split(",") if part.strip()]
    seconds = parameter("SECONDS", "5")
    if not targets:
        raise Failure("targets must not be empty")
    if len(targets) > TARGETS_MAX:
        raise Failure("give at most %d targets" % TARGETS_MAX)
    if not re.match(r"^\d{1,2}$", seconds) or not 1 <= int(seconds) <= 60:
        raise Failure("seconds must be a number from 1 to 60")
    parsed = [(text,) + parse(text) for text in targets]
    slowest, failures = 0.0, []
    for text, host, port in parsed:
        try:
            slowest = max(slowest, attempt(host, port, int(seconds)))
        except (OSError, UnicodeError) as error:
            failures.append("%s: %s" % (text, error))
    if failures:
        print("warning: %d of %d targets do not answer" % (len(failures), len(parsed)))
        print("\n".join(failures[:20]))
        return 2
    print("ok: %d targets answer, the slowest after %d ms" % (len(parsed), round(slowest)))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
