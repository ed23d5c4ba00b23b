#!/usr/bin/env bash
# Restricts sign-in over SSH with a file of its own below sshd_config.d.
set -euo pipefail
export LC_ALL=C

root_login=${PARAM_ROOT_LOGIN:-prohibit-password}
passwords=${PARAM_PASSWORDS:-false}
tries=${PARAM_MAX_AUTH_TRIES:-4}
folder=/etc/ssh/sshd_config.d
# sshd takes the first value that it reads, so this file must be read first.
file=$folder/00-muster.conf

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $root_login == no || $root_login == prohibit-password ]] || fail 'root_login must be no or prohibit-password'
[[ $passwords == true || $passwords == false ]] || fail 'passwords must be true or false'
if ! [[ $tries =~ ^[0-9]{1,2}$ ]] || ((10#$tries < 1 || 10#$tries > 20)); then fail 'max_auth_tries must be a number from 1 to 20'; fi
sshd=$(command -v sshd) || fail 'this machine has no OpenSSH server'
grep -qiE '^[[:space:]]*Include[[:space:]]+"?/etc/ssh/sshd_config\.d/\*' /etc/ssh/sshd_config ||
  fail "sshd_config does not include $folder"

# Without passwords and without a key, no user could sign in again.
has_key() {
  local home
  while IFS=: read -r _ _ _ _ _ home _; do
    if [[ -s $home/.ssh/authorized_keys ]]; then return 0; fi
  done < <(getent passwd)
  return 1
}
if [[ $passwords == false ]] && ! has_key; then fail 'no user has an authorized key, so passwords must stay allowed'; fi

if [[ $passwords == true ]]; then answer=yes; else answer=no; fi
wanted=$(printf 'PermitRootLogin %s\nPasswordAuthentication %s\nKbdInteractiveAuthentication %s\nMaxAuthTries %d' \
  "$root_login" "$answer" "$answer" "$((10#$tries))")
if [[ -f $file && $(<"$file") == "$wanted" ]]; then
  echo 'unchanged: the restrictions are in place'
  exit 0
fi

mkdir -p "$folder"
next=$(mktemp "$folder/.muster.XXXXXX")
previous=$(mktemp "$folder/.muster.XXXXXX")
trap 'rm -f -- "$next" "$previous"' EXIT
had_file=false
if [[ -f $file ]]; then
  had_file=true
  cp -p -- "$file" "$previous"
fi
undo() {
  if [[ $had_file == true ]]; then mv -f -- "$previous" "$file"; else rm -f -- "$file"; fi
  fail "$1; the previous configuration is back"
}

printf '%s\n' "$wanted" >"$next"
chmod 600 "$next"
mv -f -- "$next" "$file"
effective=$("$sshd" -T -C user=root,host=localhost,addr=127.0.0.1 2>/dev/null) || undo 'sshd refuses the configuration'
root_words=$root_login
# Its older name, which sshd still prints.
if [[ $root_login == prohibit-password ]]; then root_words='(prohibit-password|without-password)'; fi
grep -qE "^permitrootlogin $root_words\$" <<<"$effective" || undo 'another file overrides PermitRootLogin'
grep -q "^passwordauthentication $answer\$" <<<"$effective" || undo 'another file overrides PasswordAuthentication'
grep -q "^maxauthtries $((10#$tries))\$" <<<"$effective" || undo 'another file overrides MaxAuthTries'

reloaded=false
for unit in ssh sshd; do
  if command -v systemctl >/dev/null 2>&1 && systemctl is-active --quiet "$unit" 2>/dev/null; then
    systemctl reload "$unit" || undo "$unit did not reload"
    reloaded=true
    break
  fi
done
if [[ $reloaded == true ]]; then echo 'changed: the restrictions apply to new connections'
else echo 'changed: the restrictions apply when sshd starts'
fi
