"""Warns about certificates that expire soon, in files and of servers."""
import base64
import datetime
import glob
import os
import re
import socket
import ssl
import sys

CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", re.S)
FILES_MAX = 500
BYTES_MAX = 1024 * 1024
LISTED_MAX = 20
TIMEOUT_SECONDS = 10


class Failure(Exception):
    """The script cannot do its work."""


def parameter(name, default=""):
    return os.environ.get("PARAM_" + name, default).strip()


def element(data, offset):
    """Reads one DER element: its tag, where its content begins, and where it ends."""
    tag, length, start = data[offset], data[offset + 1], offset + 2
    if length & 0x80:
        count = length & 0x7F
        length, start = int.from_bytes(data[start:start + count], "big"), start + count
    if start + length > len(data):
        raise ValueError("it is cut off")
    return tag, start, start + length


def expiry(der):
    """The end of the validity of an X.509 certificate."""
    _, offset, _ = element(der, 0)
    _, offset, _ = element(der, offset)
    tag, _, end = element(der, offset)
    if tag == 0xA0:
        _, _, end = element(der, end)
    # The algorithm and the issuer stand between the serial number and the validity.
    for _ in range(2):
        _, _, end = element(der, end)
    _, offset, _ = element(der, end)
    _, _, end = element(der, offset)
    tag, start, end = element(der, end)
    text = der[start:end].decode("ascii")
    if tag == 0x17:
        text = ("20" if int(text[:2]) < 50 else "19") + text
    moment = datetime.datetime.strptime(text, "%Y%m%d%H%M%SZ")
    return moment.replace(tzinfo=datetime.timezone.utc)


def from_files(patterns):
    for pattern in patterns:
        if not os.path.isabs(pattern):
            raise Failure("files must be absolute paths or patterns: %s" % pattern)
        found = sorted(glob.glob(pattern))
        if not found:
            yield pattern, None, "no such file"
        for path in found[:FILES_MAX]:
            try:
                if not os.path.isfile(path) or os.path.getsize(path) > BYTES_MAX:
                    continue
                with open(path, "r", encoding="latin-1") as file:
                    for body in CERTIFICATE.findall(file.read()):
                        yield path, expiry(base64.b64decode(body)), None
            except (OSError, ValueError, IndexError) as error:
                yield path, None, str(error)


def from_servers(servers):
    for server in servers:
        match = re.match(r"^\[?([A-Za-z0-9.:-]+?)\]?(?::(\d{1,5}))?$", server)
        if not match:
            raise Failure("servers must be names with ports: %s" % server)
        host, port = match.group(1), int(match.group(2) or 443)
        # Also certificates that this machine does not trust have an end.
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        try:
            with socket.create_connection((host, port), TIMEOUT_SECONDS) as plain:
                with context.wrap_socket(plain, server_hostname=host) as secure:
                    yield server, expiry(secure.getpeercert(True)), None
        except (OSError, ValueError, IndexError) as error:
            yield server, None, str(error)


def listed(name):
    return [item.strip() for item in parameter(name).split(",") if item.strip()]


def main():
    days = parameter("DAYS", "30")
    if not re.match(r"^\d{1,4}$", days) or int(days) < 1:
        raise Failure("days must be a number from 1 to 9999")
    files, servers = listed("FILES"), listed("SERVERS")
    if not files and not servers:
        raise Failure("give files or servers")
    field = parameter("FIELD")
    if field and not re.match(r"^[a-z][a-z0-9_]{0,62}$", field):
        raise Failure("field must be the key of a custom field")
    now = datetime.datetime.now(datetime.timezone.utc)
    limit = now + datetime.timedelta(days=int(days))
    ends, problems = [], []
    for where, end, problem in list(from_files(files)) + list(from_servers(servers)):
        if problem is not None:
            problems.append("%s: %s" % (where, problem))
            continue
        ends.append(end)
        if end <= limit:
            verb = "expired" if end <= now else "expires"
            problems.append("%s: %s on %s" % (where, verb, end.strftime("%Y-%m-%d %H:%M UTC")))
    if field and ends:
        print("::muster-field %s=%s" % (field, min(ends).strftime("%Y-%m-%dT%H:%M:%SZ")))
    if problems:
        print("warning: %d certificates need attention, %d were read" % (len(problems), len(ends)))
        print("\n".join(problems[:LISTED_MAX]).encode("utf-8", "backslashreplace").decode("utf-8"))
        return 2
    if not ends:
        raise Failure("the files hold no certificate")
    print("ok: %d certificates are valid for more than %s days" % (len(ends), days))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
