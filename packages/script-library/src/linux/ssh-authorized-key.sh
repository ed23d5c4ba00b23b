#!/usr/bin/env bash
# Adds a public key to the authorized keys of a user, or removes it.
set -euo pipefail
export LC_ALL=C

user=${PARAM_USER:-}
key=${PARAM_KEY:-}
state=${PARAM_STATE:-present}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $user =~ ^[a-z_][a-z0-9_-]{0,31}$ ]] || fail 'user must be the name of a user'
[[ $state == present || $state == absent ]] || fail 'state must be present or absent'
types='ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com'
[[ $key =~ ^($types)\ ([A-Za-z0-9+/]{40,4000}={0,2})(\ [[:print:]]{1,200})?$ ]] ||
  fail 'key must be one public key of OpenSSH without options'
blob=${BASH_REMATCH[4]}

entry=$(getent passwd -- "$user") || fail "there is no user $user"
IFS=: read -r _ _ uid gid _ home _ <<<"$entry"
[[ $home == /?* && -d $home ]] || fail "$user has no home folder"

# Runs as the user: links in a home folder must not lead root elsewhere.
edit() {
  set -euo pipefail
  umask 077
  local key=$1 blob=$2 state=$3 folder=$4/.ssh file=$4/.ssh/authorized_keys now=absent
  if [[ -f $file ]] && awk -v blob="$blob" '
    !/^[[:space:]]*#/ { for (i = 1; i <= NF; i++) if ($i == blob) found = 1 }
    END { exit !found }
  ' "$file"; then
    now=present
  fi
  if [[ $now == "$state" ]]; then
    echo unchanged
    return
  fi
  mkdir -p "$folder"
  next=$(mktemp "$folder/.authorized_keys.XXXXXX")
  trap 'rm -f -- "$next"' EXIT
  if [[ $state == present ]]; then
    if [[ -f $file ]]; then awk 1 "$file" >"$next"; fi
    printf '%s\n' "$key" >>"$next"
  else
    awk -v blob="$blob" '
      { keep = 1 }
      !/^[[:space:]]*#/ { for (i = 1; i <= NF; i++) if ($i == blob) keep = 0 }
      keep
    ' "$file" >"$next"
  fi
  chmod 600 "$next"
  mv -f -- "$next" "$file"
  echo changed
}
as_user=()
if ((uid != EUID)); then as_user=(setpriv --reuid "$uid" --regid "$gid" --init-groups --inh-caps=-all); fi
cd /
result=$("${as_user[@]}" bash -c "$(declare -f edit)"$'\nedit "$@"' bash "$key" "$blob" "$state" "$home") || fail "the keys of $user could not be changed"
printf '%s: the key is %s for %s\n' "$result" "$state" "$user"
