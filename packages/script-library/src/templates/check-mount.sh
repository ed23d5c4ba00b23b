#!/usr/bin/env bash
# Warns if a file system is not mounted, or if it cannot be written.
set -euo pipefail
export LC_ALL=C

mount_point={{mount_point}}
writable={{writable}}

if ! mountpoint -q -- "$mount_point"; then
  printf 'warning: nothing is mounted at %s\n' "$mount_point"
  exit 2
fi
if [[ $writable == true && ! -w $mount_point ]]; then
  printf 'warning: %s cannot be written\n' "$mount_point"
  exit 2
fi
printf 'ok: %s is mounted\n' "$mount_point"
