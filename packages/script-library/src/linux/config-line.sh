#!/usr/bin/env bash
# Makes sure that a file below /etc has a line, or that it does not.
set -euo pipefail
export LC_ALL=C

path=${PARAM_PATH:-}
line=${PARAM_LINE:-}
replace=${PARAM_REPLACE:-}
state=${PARAM_STATE:-present}
bytes_max=1048576
# Their own tools check what they write, and a wrong line locks everyone out.
closed='^/etc/(passwd|shadow|group|gshadow|sudoers|fstab|crypttab|ld\.so\.preload|sudoers\.d/.*|pam\.d/.*|ssl/private/.*)-?$'

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $path == /etc/?* && $path != *[[:cntrl:]]* ]] || fail 'path must be a file below /etc'
[[ $path != *//* && /$path/ != */../* && /$path/ != */./* ]] || fail 'path must not contain ., .. or //'
[[ ! $path =~ $closed ]] || fail "$path must not be changed line by line"
[[ -n $line && $line != *[[:cntrl:]]* ]] || fail 'line must be one line of text'
[[ $replace != *[[:cntrl:]]* ]] || fail 'replace must be the beginning of a line'
[[ $state == present || $state == absent ]] || fail 'state must be present or absent'
[[ $(readlink -e -- "$path") == "$path" && -f $path ]] || fail "$path is not a regular file, or a link leads to it"
(($(stat -c %s -- "$path") <= bytes_max)) || fail "$path is larger than $bytes_max bytes"

next=$(mktemp "$(dirname -- "$path")/.muster.XXXXXX")
trap 'rm -f -- "$next"' EXIT

# Values come from the environment: awk would read escapes in those of -v.
WANTED=$line BEGINNING=$replace STATE=$state awk '
  BEGIN { wanted = ENVIRON["WANTED"]; beginning = ENVIRON["BEGINNING"]; state = ENVIRON["STATE"] }
  state == "absent" { if ($0 != wanted) print; next }
  $0 == wanted || (beginning != "" && index($0, beginning) == 1) { if (!written) print wanted; written = 1; next }
  { print }
  END { if (state == "present" && !written) print wanted }
' "$path" >"$next"

if cmp -s -- "$path" "$next"; then
  printf 'unchanged: the line is %s in %s\n' "$state" "$path"
  exit 0
fi
chown --reference="$path" -- "$next"
chmod --reference="$path" -- "$next"
mv -f -- "$next" "$path"
printf 'changed: the line is %s in %s\n' "$state" "$path"
