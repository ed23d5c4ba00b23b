"""Measures how far the clock of this machine is from a time server (SNTP)."""
import os
import re
import socket
import struct
import sys
import time

# Seconds from 1900, where NTP begins, to 1970.
EPOCH = 2208988800
PACKET = struct.Struct("!BBBb11I")
TIMEOUT_SECONDS = 5
ATTEMPTS = 3


class Failure(Exception):
    """The script cannot do its work."""


def parameter(name, default=""):
    return os.environ.get("PARAM_" + name, default).strip()


def moment(seconds, fraction):
    return seconds - EPOCH + fraction / 2.0 ** 32


def measure(host, port):
    """The offset in seconds: positive when this clock is behind."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as link:
        link.settimeout(TIMEOUT_SECONDS)
        link.connect(address)
        sent = time.time()
        whole = int(sent)
        stamp = (whole + EPOCH) & 0xFFFFFFFF, int((sent - whole) * 2 ** 32)
        link.send(PACKET.pack(0x23, 0, 0, 0, *([0] * 9), *stamp))
        answer = link.recv(512)
        received = time.time()
    if len(answer) < PACKET.size:
        raise OSError("its answer is too short")
    values = PACKET.unpack(answer[:PACKET.size])
    # The server repeats the time of the question, so an answer to another question is not taken.
    if values[0] & 7 != 4 or values[9:11] != stamp:
        raise OSError("its answer does not belong to the question")
    if values[1] == 0 or values[1] > 15 or values[0] >> 6 == 3:
        raise OSError("it is not synchronized")
    arrived, left = moment(*values[11:13]), moment(*values[13:15])
    return ((arrived - sent) + (left - received)) / 2


def main():
    server, limit = parameter("SERVER", "pool.ntp.org"), parameter("WARN_MS", "1000")
    field = parameter("FIELD")
    match = re.match(r"^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?$", server)
    if not match:
        raise Failure("server must be a name or an address")
    if not re.match(r"^\d{1,8}$", limit) or int(limit) < 1:
        raise Failure("warn_ms must be a number from 1 to 99999999")
    if field and not re.match(r"^[a-z][a-z0-9_]{0,62}$", field):
        raise Failure("field must be the key of a custom field")
    problem = None
    for _ in range(ATTEMPTS):
        try:
            offset_ms = round(measure(match.group(1).strip("[]"), int(match.group(2) or 123)) * 1000)
            break
        except (OSError, OverflowError) as error:
            problem = error
    else:
        raise Failure("%s does not tell the time: %s" % (server, problem))
    if field:
        print("::muster-field %s=%d" % (field, offset_ms))
    if abs(offset_ms) >= int(limit):
        side = "behind" if offset_ms > 0 else "ahead of"
        print("warning: the clock is %d ms %s %s" % (abs(offset_ms), side, server))
        return 2
    print("ok: the clock is within %d ms of %s" % (abs(offset_ms), server))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
