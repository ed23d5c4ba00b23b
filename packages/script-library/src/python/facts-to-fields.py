"""Writes facts of this machine into custom fields."""
import datetime
import os
import platform
import re
import socket
import sys
import time

FIELDS_MAX = 50


class Failure(Exception):
    """The script cannot do its work."""


def text_of(path):
    try:
        with open(path, "r", encoding="utf-8", errors="replace") as file:
            return file.read().strip("\0\n ")
    except OSError:
        return ""


def boot_time():
    uptime = text_of("/proc/uptime").split()
    if not uptime:
        return ""
    # Rounded to the minute: the same boot gives the same value each time.
    booted = round((time.time() - float(uptime[0])) / 60) * 60
    return datetime.datetime.fromtimestamp(booted, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def install_date():
    """The day on which the file system of the machine began to be used."""
    for path in ("/var/log/installer", "/root/anaconda-ks.cfg", "/etc/machine-id", "/etc/hostname"):
        try:
            begun = os.lstat(path).st_mtime
        except OSError:
            continue
        return datetime.datetime.fromtimestamp(begun, datetime.timezone.utc).strftime("%Y-%m-%dT00:00:00Z")
    return ""


def timezone():
    target = os.path.realpath("/etc/localtime")
    return target.split("/zoneinfo/", 1)[1] if "/zoneinfo/" in target else text_of("/etc/timezone") or "UTC"


def virtualization():
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return "container"
    product = text_of("/sys/class/dmi/id/product_name") + " " + text_of("/sys/class/dmi/id/sys_vendor")
    known = ("VMware", "VirtualBox", "KVM", "QEMU", "Hyper-V", "Virtual Machine", "Xen", "Amazon EC2", "Google Compute")
    for name in known:
        if name in product:
            return name
    return "physical" if product.strip() else ""


def memory_mebibytes():
    match = re.search(r"^MemTotal:\s+(\d+) kB", text_of("/proc/meminfo"), re.M)
    return str(int(match.group(1)) // 1024) if match else ""


FACTS = {
    "boot_time": boot_time,
    "fqdn": socket.getfqdn,
    "install_date": install_date,
    "kernel": platform.release,
    "memory_mebibytes": memory_mebibytes,
    "processors": lambda: str(os.cpu_count() or ""),
    "python": platform.python_version,
    "serial_number": lambda: text_of("/sys/class/dmi/id/product_serial"),
    "timezone": timezone,
    "virtualization": virtualization,
}


def main():
    pairs = [part.strip() for part in os.environ.get("PARAM_FIELDS", "").split(",") if part.strip()]
    if not pairs:
        raise Failure("fields must not be empty")
    if len(pairs) > FIELDS_MAX:
        raise Failure("give at most %d fields" % FIELDS_MAX)
    chosen = []
    for pair in pairs:
        match = re.match(r"^([a-z][a-z0-9_]{0,62})=([a-z_]+)$", pair)
        if not match or match.group(2) not in FACTS:
            raise Failure("fields must be pairs such as boot_time=boot_time, with a fact of %s" % ", ".join(sorted(FACTS)))
        chosen.append(match.groups())
    unknown = []
    for field, fact in chosen:
        value = re.sub(r"[\x00-\x1f\x7f]", " ", FACTS[fact]()).strip()[:500]
        if value:
            print("::muster-field %s=%s" % (field, value))
        else:
            # An empty value would remove what the field has.
            unknown.append(fact)
    if unknown:
        print("warning: this machine does not tell its %s" % ", ".join(unknown))
        return 2
    print("ok: %d fields were written" % len(chosen))
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print("error: %s" % failure, file=sys.stderr)
    sys.exit(1)
