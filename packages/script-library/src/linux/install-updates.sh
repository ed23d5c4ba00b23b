#!/usr/bin/env bash
# Installs pending updates of packages, all of them or those for security.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

scope=${PARAM_SCOPE:-security}
# Keeps configuration files that were changed on this machine.
apt=(apt-get --quiet --yes -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold)

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# The last lines of a failed tool say what went wrong.
quietly() {
  local output
  if ! output=$("$@" 2>&1 </dev/null); then
    tail -n 5 <<<"$output" >&2
    return 1
  fi
}

[[ $scope == security || $scope == all ]] || fail 'scope must be security or all'

installed=0
must_restart=false
if has apt-get; then
  quietly "${apt[@]}" update || fail 'the package lists could not be refreshed'
  plan=$(apt-get --simulate upgrade) || fail 'apt cannot plan an upgrade'
  pattern='^Inst [^ ]+ \['
  if [[ $scope == security ]]; then pattern='^Inst [^ ]+ \[[^]]*\] \([^)]*[Ss]ecurity'; fi
  mapfile -t packages < <(grep -E "$pattern" <<<"$plan" | awk '{ print $2 }')
  installed=${#packages[@]}
  if ((installed > 0)); then
    quietly "${apt[@]}" install --only-upgrade -- "${packages[@]}" || fail 'apt could not install the updates'
  fi
elif has dnf || has yum; then
  if has dnf; then manager=dnf; else manager=yum; fi
  before=$(rpm --query --all | sort)
  arguments=(--assumeyes upgrade)
  if [[ $scope == security ]]; then arguments+=(--security); fi
  quietly "$manager" "${arguments[@]}" || fail "$manager could not install the updates"
  installed=$(comm -13 <(printf '%s\n' "$before") <(rpm --query --all | sort) | wc -l)
elif has zypper; then
  before=$(rpm --query --all | sort)
  arguments=(--non-interactive update)
  if [[ $scope == security ]]; then arguments=(--non-interactive patch --category security); fi
  code=0
  output=$(zypper "${arguments[@]}" 2>&1 </dev/null) || code=$?
  # 103: zypper updated itself, and goes on when it is started again. 102: the machine must restart.
  if ((code == 103)); then
    code=0
    output=$(zypper "${arguments[@]}" 2>&1 </dev/null) || code=$?
  fi
  if ((code == 102)); then
    must_restart=true
  elif ((code != 0)); then
    tail -n 5 <<<"$output" >&2
    fail 'zypper could not install the updates'
  fi
  installed=$(comm -13 <(printf '%s\n' "$before") <(rpm --query --all | sort) | wc -l)
else
  fail 'this machine has none of apt, dnf, yum and zypper'
fi

if [[ -e /run/reboot-required || -e /var/run/reboot-required ]]; then must_restart=true; fi
# It ends with 1 if core libraries or the kernel were updated since the start of the machine.
if has needs-restarting && ! needs-restarting -r >/dev/null 2>&1; then must_restart=true; fi
if ((installed == 0)); then
  printf 'unchanged: no updates are pending (%s)\n' "$scope"
elif [[ $must_restart == true ]]; then
  printf 'warning: %d updates were installed, and the machine must restart\n' "$installed"
  exit 2
else
  printf 'changed: %d updates were installed\n' "$installed"
fi
