#!/usr/bin/env bash
# Packs a folder into an archive with the date in its name, and keeps the newest archives.
set -euo pipefail
export LC_ALL=C
umask 077

folder={{folder}}
target={{target}}
name={{name}}
keep={{keep}}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ -d $folder ]] || fail "there is no folder $folder"
mkdir -p -- "$target"
next=$(mktemp "$target/.archive.XXXXXX")
trap 'rm -f -- "$next"' EXIT
tar --create --gzip --file "$next" --directory "$(dirname -- "$folder")" -- "$(basename -- "$folder")" ||
  fail "$folder could not be packed"
archive=$target/$name-$(date -u +%Y%m%dT%H%M%SZ).tar.gz
mv -f -- "$next" "$archive"

# The date sorts the names; files with other names stay.
shopt -s nullglob
archives=("$target/$name"-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z.tar.gz)
old=$((${#archives[@]} - keep))
if ((old > 0)); then rm -f -- "${archives[@]:0:old}"; fi
printf 'changed: wrote %s with %d bytes\n' "$archive" "$(stat -c %s -- "$archive")"
