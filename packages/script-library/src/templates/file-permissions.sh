#!/usr/bin/env bash
# Sets the owner, the group and the permissions of one file or folder.
set -euo pipefail
export LC_ALL=C

path={{path}}
owner={{owner}}
group={{group}}
mode={{mode}}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $(readlink -e -- "$path") == "$path" ]] || fail "there is no $path, or a link leads to it"
getent passwd -- "$owner" >/dev/null || fail "there is no user $owner"
getent group -- "$group" >/dev/null || fail "there is no group $group"
if [[ $(stat -c '%U %G %04a' -- "$path") == "$owner $group $mode" ]]; then
  printf 'unchanged: %s belongs to %s and has mode %s\n' "$path" "$owner" "$mode"
  exit 0
fi
chown -- "$owner:$group" "$path" || fail "the owner of $path could not be changed"
chmod -- "$mode" "$path" || fail "the mode of $path could not be changed"
printf 'changed: %s belongs to %s and has mode %s\n' "$path" "$owner" "$mode"
