#!/usr/bin/env bash
# Warns about software RAID arrays that miss a drive or are being rebuilt.
set -euo pipefail
export LC_ALL=C

field=${PARAM_FIELD:-}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ -z $field || $field =~ ^[a-z][a-z0-9_]{0,62}$ ]] || fail 'field must be the key of a custom field'

arrays=0
degraded=()
if [[ -r /proc/mdstat ]]; then
  name=''
  while read -r first rest; do
    if [[ $rest == ': '* ]]; then
      name=$first
      if [[ $name == md* ]]; then arrays=$((arrays + 1)); else name=''; fi
      if [[ -n $name && $rest == ': inactive'* ]]; then degraded+=("$name is inactive"); fi
    elif [[ -n $name && "$first $rest" =~ \[([U_]+)\]$ && ${BASH_REMATCH[1]} == *_* ]]; then
      degraded+=("$name misses a drive [${BASH_REMATCH[1]}]")
    elif [[ -n $name && "$first $rest" =~ (recovery|resync|reshape)\ *=\ *([0-9.]+%) ]]; then
      degraded+=("$name is in ${BASH_REMATCH[1]} at ${BASH_REMATCH[2]}")
    fi
  done </proc/mdstat
fi

if [[ -n $field ]]; then printf '::muster-field %s=%d\n' "$field" "${#degraded[@]}"; fi
if ((${#degraded[@]} > 0)); then
  printf 'warning: %d findings on %d arrays\n' "${#degraded[@]}" "$arrays"
  printf '%s\n' "${degraded[@]:0:20}"
  exit 2
fi
if ((arrays == 0)); then
  echo 'ok: this machine has no software RAID'
else
  printf 'ok: %d arrays are complete\n' "$arrays"
fi
