#!/bin/sh
# Warns if updates wait for a restart of the machine.
set -eu
export LC_ALL=C

field=${PARAM_FIELD:-}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }
result() {
  if [ -n "$field" ]; then printf '::muster-field %s=%s\n' "$field" "$1"; fi
}

case $field in
  '') ;;
  [!a-z]* | *[!a-z0-9_]*) fail 'field must be the key of a custom field' ;;
esac

reason=''
if [ -e /run/reboot-required ] || [ -e /var/run/reboot-required ]; then
  reason='installed packages ask for a restart'
elif has needs-restarting; then
  code=0
  needs-restarting -r >/dev/null 2>&1 || code=$?
  if [ "$code" -eq 1 ]; then reason='core libraries or the kernel were updated'; fi
elif has zypper; then
  code=0
  zypper --non-interactive needs-rebooting >/dev/null 2>&1 || code=$?
  if [ "$code" -eq 102 ]; then reason='core libraries or the kernel were updated'; fi
elif ! has apt-get; then
  fail 'this system does not say whether a restart is needed'
fi

if [ -n "$reason" ]; then
  result true
  printf 'warning: the machine must restart: %s\n' "$reason"
  exit 2
fi
result false
echo 'ok: no restart is needed'
