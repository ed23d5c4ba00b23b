#!/bin/sh
# Warns if too few processes of a program run.
set -eu
export LC_ALL=C

program={{program}}
least={{least}}

running=0
for folder in /proc/[0-9]*; do
  # A process may end meanwhile.
  name=$(cat "$folder/comm" 2>/dev/null) || continue
  if [ "$name" = "$(printf '%.15s' "$program")" ]; then running=$((running + 1)); fi
done
if [ "$running" -lt "$least" ]; then
  printf 'warning: %d processes of %s run, expected %d\n' "$running" "$program" "$least"
  exit 2
fi
printf 'ok: %d processes of %s run\n' "$running" "$program"
