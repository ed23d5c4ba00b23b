#!/bin/sh
# Warns about systemd units that have failed.
set -eu
export LC_ALL=C

ignore=${PARAM_IGNORE:-}
listed_max=20

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

case $ignore in *[!A-Za-z0-9@_.:,\\-]*) fail 'ignore must be names of units, separated by commas' ;; esac
command -v systemctl >/dev/null 2>&1 || fail 'this machine has no systemd'
units=$(systemctl list-units --failed --plain --no-legend --no-pager --full) || fail 'systemd does not answer'

failed=$(printf '%s\n' "$units" | awk -v ignore=",$ignore," '$1 != "" && !index(ignore, "," $1 ",") { print $1 }')
if [ -z "$failed" ]; then
  echo 'ok: no unit has failed'
  exit 0
fi
printf 'warning: %d units have failed\n' "$(printf '%s\n' "$failed" | wc -l)"
printf '%s\n' "$failed" | head -n "$listed_max"
exit 2
