#!/usr/bin/env bash
# Warns about drives whose own diagnosis (SMART) expects a failure.
set -euo pipefail
export LC_ALL=C

field=${PARAM_FIELD:-}
listed_max=20

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ -z $field || $field =~ ^[a-z][a-z0-9_]{0,62}$ ]] || fail 'field must be the key of a custom field'
command -v smartctl >/dev/null 2>&1 || fail 'smartctl is not installed'

drives=$(smartctl --scan-open 2>/dev/null) || fail 'smartctl cannot look for drives'
healthy=0
failing=()
while read -r device option type _; do
  if [[ $device != /dev/* || $option != -d ]]; then continue; fi
  # Bits 3 and 4 of the exit code: the drive is failing, or an attribute is below its threshold.
  code=0
  report=$(smartctl --health --device "$type" "$device" 2>/dev/null) || code=$?
  if grep -qE '(SMART overall-health.*: PASSED|SMART Health Status: OK)' <<<"$report" && (((code & 24) == 0)); then
    healthy=$((healthy + 1))
  elif grep -qE '(SMART overall-health.*: |SMART Health Status: )' <<<"$report" || (((code & 24) != 0)); then
    failing+=("$device")
  fi
done <<<"$drives"

if [[ -n $field ]]; then printf '::muster-field %s=%d\n' "$field" "${#failing[@]}"; fi
if ((${#failing[@]} > 0)); then
  printf 'warning: %d drives are failing\n' "${#failing[@]}"
  printf '%s\n' "${failing[@]:0:listed_max}"
  exit 2
fi
if ((healthy == 0)); then
  echo 'ok: no drive of this machine reports its health'
else
  printf 'ok: %d drives are healthy\n' "$healthy"
fi
