#!/bin/sh
# Checks the installation of the Muster agent: its service, and the space and permissions of its data folder.
set -eu
export LC_ALL=C

free_mebibytes=${PARAM_FREE_MEBIBYTES:-200}
data=/var/lib/muster-agent
service=muster-agent.service

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
problems=''
add() {
  problems="$problems$1
"
}

case $free_mebibytes in
  '' | *[!0-9]* | ???????*) fail 'free_mebibytes must be a number up to 999999' ;;
esac
[ -d "$data" ] || fail "there is no folder $data"

if [ "$(stat -c %a "$data")" != 700 ]; then add "$data is open to other users"; fi
free=$(df -Pm "$data" | awk 'NR == 2 { print $4 }')
if [ "$free" -lt "$free_mebibytes" ]; then add "$data has $free MiB left"; fi

if command -v systemctl >/dev/null 2>&1 && [ -d /run/systemd/system ]; then
  if ! systemctl is-active --quiet "$service"; then add "$service does not run"; fi
  if ! systemctl is-enabled --quiet "$service" >/dev/null; then add "$service does not start with the machine"; fi
  restarts=$(systemctl show --property=NRestarts --value "$service")
  if [ "${restarts:-0}" -gt 5 ]; then add "$service was restarted $restarts times"; fi
fi

if [ -n "$problems" ]; then
  printf 'warning: the agent needs attention\n%s' "$problems"
  exit 2
fi
echo 'ok: the agent is healthy'
