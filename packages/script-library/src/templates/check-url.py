"""Warns if a page does not answer with the expected status and text."""
import ssl
import sys
import urllib.error
import urllib.request

url = {{url}}
status = {{status}}
text = {{text}}
seconds = {{seconds}}

BYTES_MAX = 4 * 1024 * 1024


def answer():
    request = urllib.request.Request(url, headers={"User-Agent": "muster-script"})
    try:
        with urllib.request.urlopen(request, timeout=seconds) as reply:
            return reply.status, reply.read(BYTES_MAX)
    except urllib.error.HTTPError as error:
        return error.code, error.read(BYTES_MAX)


def main():
    try:
        code, body = answer()
    except (OSError, ValueError, ssl.SSLError) as error:
        print("warning: the page does not answer: %s" % error)
        return 2
    if code != status:
        print("warning: the page answers with status %d" % code)
        return 2
    if text.encode("utf-8") not in body:
        print("warning: the page does not have the expected text")
        return 2
    print("ok: the page answers with status %d" % code)
    return 0


sys.exit(main())
