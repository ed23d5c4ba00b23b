#!/usr/bin/env bash
# Limits the disk space of the systemd journal.
set -euo pipefail
export LC_ALL=C

mebibytes=${PARAM_MEBIBYTES:-500}
folder=/etc/systemd/journald.conf.d
file=$folder/50-muster.conf

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

if ! [[ $mebibytes =~ ^[0-9]{1,6}$ ]] || ((10#$mebibytes < 16 || 10#$mebibytes > 100000)); then fail 'mebibytes must be a number from 16 to 100000'; fi
command -v journalctl >/dev/null 2>&1 || fail 'this machine has no systemd journal'

size=$((10#$mebibytes))M
wanted=$(printf '[Journal]\nSystemMaxUse=%s' "$size")
if [[ -f $file && $(<"$file") == "$wanted" ]]; then
  printf 'unchanged: the journal is limited to %s\n' "$size"
  exit 0
fi

mkdir -p "$folder"
next=$(mktemp "$folder/.muster.XXXXXX")
trap 'rm -f -- "$next"' EXIT
printf '%s\n' "$wanted" >"$next"
chmod 644 "$next"
mv -f -- "$next" "$file"
systemctl restart systemd-journald || fail 'the limit is written, but the journal did not restart'
journalctl --quiet --vacuum-size="$size" 2>/dev/null || fail 'the limit is written, but older entries could not be deleted'
printf 'changed: the journal is limited to %s\n' "$size"
