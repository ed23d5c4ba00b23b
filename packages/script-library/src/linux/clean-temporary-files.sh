#!/usr/bin/env bash
# Deletes old files from /tmp and /var/tmp.
set -euo pipefail
export LC_ALL=C

days=${PARAM_DAYS:-7}
dry_run=${PARAM_DRY_RUN:-false}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

if ! [[ $days =~ ^[0-9]{1,4}$ ]] || ((10#$days < 1 || 10#$days > 3650)); then fail 'days must be a number from 1 to 3650'; fi
[[ $dry_run == true || $dry_run == false ]] || fail 'dry_run must be true or false'

folders=()
for folder in /tmp /var/tmp; do
  if [[ -d $folder && ! -L $folder ]]; then folders+=("$folder"); fi
done
((${#folders[@]} > 0)) || fail 'this machine has neither /tmp nor /var/tmp'

# Folders of services with private temporary files belong to systemd, which removes them itself.
expression=(-xdev -name 'systemd-private-*' -prune -o -type f -mtime "+$((10#$days - 1))" -printf '%s\n')
if [[ $dry_run == false ]]; then
  # -delete walks the deepest first, which would make -prune useless. -execdir does not follow a folder that became a link.
  expression+=(-execdir rm -f -- '{}' +)
fi

# A file that disappears meanwhile makes find fail although the rest was done.
sizes=$(find "${folders[@]}" "${expression[@]}" 2>/dev/null) || true
count=0
bytes=0
if [[ -n $sizes ]]; then read -r count bytes <<<"$(awk '{ bytes += $1 } END { printf "%d %.0f", NR, bytes }' <<<"$sizes")"; fi

if ((count == 0)); then
  printf 'unchanged: no file is older than %d days\n' "$((10#$days))"
elif [[ $dry_run == true ]]; then
  printf 'ok: %d files with %d bytes are older than %d days; nothing was deleted\n' "$count" "$bytes" "$((10#$days))"
else
  printf 'changed: deleted %d files with %d bytes\n' "$count" "$bytes"
fi
