#!/usr/bin/env bash
# Installs or removes one package with the package manager of the machine.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

package=${PARAM_PACKAGE:-}
state=${PARAM_STATE:-present}
# Another installation may hold the lock of apt for a while.
apt=(apt-get --quiet --yes -o DPkg::Lock::Timeout=120)

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

[[ $package =~ ^[A-Za-z0-9][A-Za-z0-9+._-]{0,127}$ ]] || fail 'package must be the name of a package'
[[ $state == present || $state == absent ]] || fail 'state must be present or absent'

if has apt-get && has dpkg-query; then manager=apt
elif has dnf; then manager=dnf
elif has yum; then manager=yum
elif has zypper; then manager=zypper
else fail 'this machine has none of apt, dnf, yum and zypper'
fi

is_installed() {
  if [[ $manager == apt ]]; then
    dpkg-query --status -- "$package" 2>/dev/null | grep -q '^Status: .* installed$'
  else
    rpm --query --quiet -- "$package"
  fi
}

# The last lines of a failed tool say what went wrong.
quietly() {
  local output
  if ! output=$("$@" 2>&1 </dev/null); then
    tail -n 5 <<<"$output" >&2
    return 1
  fi
}

install() {
  case $manager in
    apt) quietly "${apt[@]}" update && quietly "${apt[@]}" install --no-install-recommends -- "$package" ;;
    zypper) quietly zypper --non-interactive install -- "$package" ;;
    *) quietly "$manager" --assumeyes install -- "$package" ;;
  esac
}

# Removes only this package: what needs it keeps it installed.
remove() {
  if [[ $manager != apt ]]; then
    quietly rpm --erase -- "$package"
    return
  fi
  local removed
  removed=$(apt-get --simulate remove -- "$package" | grep -c '^Remv ') || true
  ((removed <= 1)) || fail "$((removed - 1)) other packages need $package"
  quietly "${apt[@]}" remove -- "$package"
}

if is_installed; then now=present; else now=absent; fi
if [[ $now == "$state" ]]; then
  printf 'unchanged: %s is %s\n' "$package" "$state"
  exit 0
fi
if [[ $state == present ]]; then install || fail "$package could not be installed"
else remove || fail "$package could not be removed"
fi
if is_installed; then now=present; else now=absent; fi
[[ $now == "$state" ]] || fail "$manager ended without an error, but $package is $now"
printf 'changed: %s is %s\n' "$package" "$state"
