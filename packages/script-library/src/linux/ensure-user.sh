#!/usr/bin/env bash
# Creates a local user, adds it to groups, and locks or unlocks it.
set -euo pipefail
export LC_ALL=C

user=${PARAM_USER:-}
groups=${PARAM_GROUPS:-}
shell=${PARAM_SHELL:-/bin/bash}
state=${PARAM_STATE:-present}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $user =~ ^[a-z_][a-z0-9_-]{0,31}$ ]] || fail 'user must be the name of a user'
[[ -z $groups || $groups =~ ^[a-z_][a-z0-9_-]{0,31}(,[a-z_][a-z0-9_-]{0,31}){0,31}$ ]] ||
  fail 'groups must be names of groups, separated by commas'
[[ $state == present || $state == locked ]] || fail 'state must be present or locked'
[[ $shell == /* && $shell != *[!A-Za-z0-9/._-]* && -x $shell ]] || fail "there is no shell $shell"

changes=()
if entry=$(getent passwd -- "$user"); then
  IFS=: read -r _ _ uid _ _ _ current_shell <<<"$entry"
  ((uid >= 1000 && uid < 65534)) || fail "$user is an account of the system"
  grep -q "^$user:" /etc/passwd || fail "$user is not a local user"
else
  [[ $state == present ]] || fail "there is no user $user"
  useradd --create-home --shell "$shell" -- "$user" || fail "$user could not be created"
  current_shell=$shell
  changes+=(created)
fi

if [[ -n $groups ]]; then
  IFS=, read -ra wanted <<<"$groups"
  current=" $(id -nG -- "$user") "
  for group in "${wanted[@]}"; do
    getent group -- "$group" >/dev/null || fail "there is no group $group"
    if [[ $current != *" $group "* ]]; then
      usermod --append --groups "$group" -- "$user" || fail "$user could not be added to $group"
      changes+=("added to $group")
    fi
  done
fi

if [[ $current_shell != "$shell" ]]; then
  usermod --shell "$shell" -- "$user" || fail "the shell of $user could not be changed"
  changes+=("given the shell $shell")
fi

# An expired account refuses keys as well; a locked password alone does not.
expires=$(getent shadow -- "$user" | cut -d: -f8)
if [[ $state == locked && $expires != 1 ]]; then
  usermod --lock --expiredate 1970-01-02 -- "$user" || fail "$user could not be locked"
  changes+=(locked)
elif [[ $state == present && $expires == 1 ]]; then
  usermod --expiredate '' -- "$user" || fail "$user could not be unlocked"
  # A password that was never set cannot be unlocked; keys work without it.
  usermod --unlock -- "$user" 2>/dev/null || true
  changes+=(unlocked)
fi

if ((${#changes[@]} == 0)); then
  printf 'unchanged: %s is %s\n' "$user" "$state"
else
  list=$(printf ', %s' "${changes[@]}")
  printf 'changed: %s was %s\n' "$user" "${list#, }"
fi
