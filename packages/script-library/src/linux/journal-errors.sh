#!/usr/bin/env bash
# Counts errors in the systemd journal, and warns if there are many.
set -euo pipefail
export LC_ALL=C

hours=${PARAM_HOURS:-24}
warn_at=${PARAM_WARN_AT:-100}
field=${PARAM_FIELD:-}
# Beyond this the exact number does not matter.
lines_max=100000

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

if ! [[ $hours =~ ^[0-9]{1,3}$ ]] || ((10#$hours < 1 || 10#$hours > 720)); then fail 'hours must be a number from 1 to 720'; fi
if ! [[ $warn_at =~ ^[0-9]{1,6}$ ]] || ((10#$warn_at < 1 || 10#$warn_at > lines_max)); then fail "warn_at must be a number from 1 to $lines_max"; fi
[[ -z $field || $field =~ ^[a-z][a-z0-9_]{0,62}$ ]] || fail 'field must be the key of a custom field'
command -v journalctl >/dev/null 2>&1 || fail 'this machine has no systemd journal'

sources=$(journalctl --quiet --no-pager --priority=err --since "$((10#$hours)) hours ago" --lines=$lines_max --output=short |
  awk '{ source = $5; sub(/(\[[0-9]+\])?:$/, "", source); print source }') || fail 'the journal cannot be read'
if [[ -z $sources ]]; then count=0; else count=$(wc -l <<<"$sources"); fi

if [[ -n $field ]]; then printf '::muster-field %s=%d\n' "$field" "$count"; fi
if ((count < 10#$warn_at)); then
  printf 'ok: %d errors within %d hours\n' "$count" "$((10#$hours))"
  exit 0
fi
printf 'warning: %d errors within %d hours, most of them from:\n' "$count" "$((10#$hours))"
ranking=$(sort <<<"$sources" | uniq -c | sort -rn)
head -n 5 <<<"$ranking"
exit 2
