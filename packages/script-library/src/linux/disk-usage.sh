#!/usr/bin/env bash
# Warns about local file systems that are short of space or inodes.
set -euo pipefail
export LC_ALL=C

warn=${PARAM_WARN_PERCENT:-85}
field=${PARAM_FIELD:-}
listed_max=20
# They are always full, or hold nothing of their own.
skipped='^(tmpfs|devtmpfs|ramfs|squashfs|iso9660|overlay|efivarfs|autofs|fuse\..*)$'

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

if ! [[ $warn =~ ^[0-9]{1,3}$ ]] || ((10#$warn < 1 || 10#$warn > 100)); then fail 'warn_percent must be a number from 1 to 100'; fi
[[ -z $field || $field =~ ^[a-z][a-z0-9_]{0,62}$ ]] || fail 'field must be the key of a custom field'

highest=0
checked=0
full=()

# Reads the columns of df: the sixth is the used share, the rest of the line is the mount point.
judge() {
  local what=$1 type percent mount
  while read -r _ type _ _ _ percent mount; do
    if [[ $type =~ $skipped || ! $percent =~ ^([0-9]+)%$ ]]; then continue; fi
    percent=${BASH_REMATCH[1]}
    checked=$((checked + 1))
    if ((percent > highest)); then highest=$percent; fi
    if ((percent >= 10#$warn)); then full+=("$mount uses $percent % of its $what"); fi
  done
}

# df reports a mount that it cannot read with an exit code, and the others all the same.
space=$(df -lPT 2>/dev/null) || true
inodes=$(df -lPTi 2>/dev/null) || true
[[ -n $space ]] || fail 'df shows no file systems'
judge space <<<"${space#*$'\n'}"
judge inodes <<<"${inodes#*$'\n'}"

if [[ -n $field ]]; then printf '::muster-field %s=%s\n' "$field" "$highest"; fi
if ((${#full[@]} > 0)); then
  printf 'warning: %d measurements are at or above %d %%\n' "${#full[@]}" "$((10#$warn))"
  printf '%s\n' "${full[@]:0:listed_max}"
  exit 2
fi
printf 'ok: %d measurements are below %d %%, the highest is %d %%\n' "$checked" "$((10#$warn))" "$highest"
