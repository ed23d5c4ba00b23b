#!/usr/bin/env bash
# Starts or stops a systemd service, and sets whether it starts with the machine.
set -euo pipefail
export LC_ALL=C

service=${PARAM_SERVICE:-}
state=${PARAM_STATE:-running}
at_boot=${PARAM_AT_BOOT:-unchanged}
# Stopping one of these cuts the machine off or takes its system apart.
kept='^(muster-agent|dbus|dbus-broker|systemd-.+|init)(\.service)?$'

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $service =~ ^[A-Za-z0-9_][A-Za-z0-9@_.:\\-]{0,200}$ ]] || fail 'service must be the name of a service'
unit=$service
if [[ $service != *.service ]]; then unit=$service.service; fi
[[ $state == running || $state == stopped ]] || fail 'state must be running or stopped'
[[ $at_boot == enabled || $at_boot == disabled || $at_boot == unchanged ]] ||
  fail 'at_boot must be enabled, disabled or unchanged'
if [[ $service =~ $kept && ($state == stopped || $at_boot == disabled) ]]; then fail "$service must not be stopped or disabled"; fi
command -v systemctl >/dev/null 2>&1 || fail 'this machine has no systemd'

[[ $(systemctl show --property=LoadState --value -- "$unit") == loaded ]] || fail "there is no service $service"

changes=()
if [[ $at_boot != unchanged ]]; then
  # Units without an [Install] section are static: they cannot be enabled.
  enabled=$(systemctl is-enabled -- "$unit" 2>/dev/null) || true
  if [[ $at_boot == enabled && $enabled != enabled ]]; then
    systemctl enable --quiet -- "$unit" || fail "$service cannot be enabled"
    changes+=(enabled)
  elif [[ $at_boot == disabled && $enabled == enabled ]]; then
    systemctl disable --quiet -- "$unit" || fail "$service cannot be disabled"
    changes+=(disabled)
  fi
fi

if systemctl is-active --quiet -- "$unit"; then active=true; else active=false; fi
if [[ $state == running && $active == false ]]; then
  systemctl start -- "$unit" || fail "$service did not start"
  systemctl is-active --quiet -- "$unit" || fail "$service ended again after its start"
  changes+=(started)
elif [[ $state == stopped && $active == true ]]; then
  systemctl stop -- "$unit" || fail "$service did not stop"
  changes+=(stopped)
fi

if ((${#changes[@]} == 0)); then
  printf 'unchanged: %s is %s\n' "$service" "$state"
else
  list=${changes[*]}
  printf 'changed: %s was %s\n' "$service" "${list// / and }"
fi
