#!/usr/bin/env bash
# Warns about containers of Docker or Podman that are unhealthy, restart all the time or ended with an error.
set -euo pipefail
export LC_ALL=C

ignore=${PARAM_IGNORE:-}
listed_max=20

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ -z $ignore || $ignore =~ ^[A-Za-z0-9][A-Za-z0-9_.,-]{0,1000}$ ]] || fail 'ignore must be names of containers, separated by commas'
if command -v docker >/dev/null 2>&1; then engine=docker
elif command -v podman >/dev/null 2>&1; then engine=podman
else fail 'neither docker nor podman is installed'
fi
list=$(timeout 60 "$engine" ps --all --format '{{.Names}}|{{.Status}}' 2>/dev/null) || fail "$engine does not answer"

running=0
troubled=()
while IFS='|' read -r name status; do
  if [[ -z $name || ,$ignore, == *",$name,"* ]]; then continue; fi
  case $status in
    *'(unhealthy)'* | Restarting* | Dead* | 'Exited ('[!0]*) troubled+=("$name: $status") ;;
    Up*) running=$((running + 1)) ;;
  esac
done <<<"$list"

if ((${#troubled[@]} > 0)); then
  printf 'warning: %d containers need attention\n' "${#troubled[@]}"
  printf '%s\n' "${troubled[@]:0:listed_max}"
  exit 2
fi
printf 'ok: %d containers run in %s\n' "$running" "$engine"
