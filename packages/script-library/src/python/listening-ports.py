"""Warns about ports that listen to other machines and are not on a list."""
import os
import re
import socket
import struct
import sys

LISTED_MAX = 20
# State of /proc/net: TCP sockets listen in 0A, UDP sockets without a peer are in 07.
TABLES = (("tcp", "tcp", "0A"), ("tcp6", "tcp", "0A"), ("udp", "udp", "07"), ("udp6", "udp", "07"))


class Failure(Exception):
    """The script cannot do its work."""


def parameter(name, default=""):
    return os.environ.get("PARAM_" + name, default).strip()


def is_loopback(text):
    """The kernel writes addresses as 32-bit words in the byte order of the machine."""
    raw = b"".join(struct.pack("=I", int(text[at:at + 8], 16)) for at in range(0, len(text), 8))
    if len(raw) == 4:
        return raw[0] == 127
    return raw == socket.inet_pton(socket.AF_INET6, "::1") or (raw[:12] == b"\0" * 10 + b"\xff\xff" and raw[12] == 127)


def listening():
    found = set()
    readable = False
    for table, protocol, state in TABLES:
        try:
            with open("/proc/net/" + table, "r", encoding="ascii") as file:
                lines = file.read().splitlines()[1:]
        except FileNotFoundError:
            continue
        readable = True
        for line in lines:
            columns = line.split()
            address, port = columns[1].split(":")
            if columns[3] == state and not is_loopback(address):
                found.add((int(port, 16), protocol))
    if not readable:
        raise Failure("this system has no /proc/net")
    return found


def allowed(text):
    """Ranges of ports such as 22/tcp, 53 or 5000-5999/udp."""
    ranges = []
    for part in [each.strip() for each in text.split(",") if each.strip()]:
        match = re.match(r"^(\d{1,5})(?:-(\d{1,5}))?(?:/(tcp|udp))?$", part)
        if not match:
            raise Failure("allowed must be ports such as 22/tcp or 5000-5999: %s" % part)
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        if not 1 <= first <= last <= 65535:
            raise Failure("ports go from 1 to 65535: %s" % part)
        ranges.append((first, last, match.group(3)))
    return ranges


def main():
    ranges = allowed(parameter("ALLOWED"))
    protocols = parameter("PROTOCOLS", "tcp")
    if protocols not in ("tcp", "udp", "both"):
        raise Failure("protocols must be tcp, udp or both")
    open_ports = sorted(each for each in listening() if protocols in ("both", each[1]))
    unexpected = [
        "%d/%s" % (port, protocol)
        for port, protocol in open_ports
        if not any(first <= port <= last and kind in (None, protocol) for first, last, kind in ranges)
    ]
    if unexpected:
        print("warning: %d of %d listening ports are not on the list" % (len(unexpected), len(open_ports)))
        print("\n".join(unexpected[:LISTED_MAX]))
        return 2
    print("ok: all %d listening ports are on the list" % len(open_ports))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
