#!/usr/bin/env bash
# Opens or closes a port in ufw or firewalld, whichever is active.
set -euo pipefail
export LC_ALL=C

port=${PARAM_PORT:-}
protocol=${PARAM_PROTOCOL:-tcp}
state=${PARAM_STATE:-open}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

if ! [[ $port =~ ^[0-9]{1,5}$ ]] || ((10#$port < 1 || 10#$port > 65535)); then fail 'port must be a number from 1 to 65535'; fi
[[ $protocol == tcp || $protocol == udp ]] || fail 'protocol must be tcp or udp'
[[ $state == open || $state == closed ]] || fail 'state must be open or closed'
rule=$((10#$port))/$protocol

if has ufw && ufw status | grep -q '^Status: active'; then
  manager=ufw
  is_open() { ufw show added | grep -qxE "ufw allow $rule( comment .*)?"; }
  open() { ufw allow "$rule"; }
  close() { ufw delete allow "$rule"; }
elif has firewall-cmd && firewall-cmd --state >/dev/null 2>&1; then
  manager=firewalld
  is_open() {
    firewall-cmd --permanent --query-port="$rule" >/dev/null 2>&1 && firewall-cmd --query-port="$rule" >/dev/null 2>&1
  }
  open() { firewall-cmd --permanent --add-port="$rule" && firewall-cmd --add-port="$rule"; }
  close() { firewall-cmd --permanent --remove-port="$rule" && firewall-cmd --remove-port="$rule"; }
else
  fail 'neither ufw nor firewalld is active'
fi

if is_open; then now=open; else now=closed; fi
if [[ $now == "$state" ]]; then
  printf 'unchanged: %s is %s in %s\n' "$rule" "$state" "$manager"
  exit 0
fi
if [[ $state == open ]]; then open >/dev/null || fail "$manager did not open $rule"
else close >/dev/null || fail "$manager did not close $rule"
fi
if is_open; then now=open; else now=closed; fi
[[ $now == "$state" ]] || fail "$manager ended without an error, but $rule is $now"
printf 'changed: %s is %s in %s\n' "$rule" "$state" "$manager"
