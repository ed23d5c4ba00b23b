#!/usr/bin/env bash
# Deletes old files from one folder and the folders in it.
set -euo pipefail
export LC_ALL=C

folder={{folder}}
pattern={{pattern}}
days={{days}}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $(readlink -e -- "$folder") == "$folder" && -d $folder ]] || fail "$folder is not a folder, or a link leads to it"
[[ $folder != / ]] || fail 'the folder must be below /'
deleted=$(find "$folder" -xdev -type f -name "$pattern" -mtime "+$((days - 1))" -print -delete | wc -l)
if ((deleted == 0)); then
  printf 'unchanged: %s has no such files\n' "$folder"
else
  printf 'changed: deleted %d files\n' "$deleted"
fi
