#!/usr/bin/env bash
# Downloads a file, checks its SHA-256 and puts it in place in one step.
set -euo pipefail
export LC_ALL=C

url={{url}}
path={{path}}
sha256={{sha256}}
executable={{executable}}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
hash_of() { sha256sum -- "$1" | cut -d ' ' -f 1; }

if [[ -f $path && $(hash_of "$path") == "$sha256" ]]; then
  printf 'unchanged: %s is in place\n' "$path"
  exit 0
fi
mkdir -p -- "$(dirname -- "$path")"
next=$(mktemp "$(dirname -- "$path")/.download.XXXXXX")
trap 'rm -f -- "$next"' EXIT
curl --fail --silent --show-error --location --proto '=https' --proto-redir '=https' --max-time 600 --output "$next" -- "$url" ||
  fail "$url could not be downloaded"
[[ $(hash_of "$next") == "$sha256" ]] || fail "$url has another SHA-256"
if [[ $executable == true ]]; then chmod 755 "$next"; else chmod 644 "$next"; fi
mv -f -- "$next" "$path"
printf 'changed: %s is in place\n' "$path"
