#!/usr/bin/env bash
# Counts the updates that the package manager offers, and warns about security updates.
set -euo pipefail
export LC_ALL=C

refresh=${PARAM_REFRESH:-false}
field=${PARAM_FIELD:-}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }
count() { grep -cE "$1" || true; }

[[ $refresh == true || $refresh == false ]] || fail 'refresh must be true or false'
[[ -z $field || $field =~ ^[a-z][a-z0-9_]{0,62}$ ]] || fail 'field must be the key of a custom field'

if has apt-get; then
  if [[ $refresh == true ]]; then
    apt-get --quiet=2 -o DPkg::Lock::Timeout=120 update >/dev/null || fail 'the package lists could not be refreshed'
  fi
  plan=$(apt-get --simulate -o Debug::NoLocking=true dist-upgrade) || fail 'apt cannot plan an upgrade'
  all=$(count '^Inst [^ ]+ \[' <<<"$plan")
  security=$(count '^Inst [^ ]+ \[[^]]*\] \([^)]*[Ss]ecurity' <<<"$plan")
elif has dnf || has yum; then
  if has dnf; then manager=dnf; else manager=yum; fi
  cached=(--cacheonly)
  if [[ $refresh == true ]]; then cached=(); fi
  code=0
  list=$("$manager" --quiet "${cached[@]}" check-update 2>/dev/null) || code=$?
  # 100 means that there are updates.
  ((code == 0 || code == 100)) || fail "$manager cannot list updates"
  all=$(awk '/^Obsoleting/ { exit } NF == 3 { n++ } END { print n + 0 }' <<<"$list")
  notices=$("$manager" --quiet "${cached[@]}" updateinfo list security 2>/dev/null) || true
  security=$(awk 'NF >= 3 { print $NF }' <<<"$notices" | sort -u | count .)
elif has zypper; then
  arguments=(--non-interactive --no-refresh)
  if [[ $refresh == true ]]; then arguments=(--non-interactive); fi
  all=$(zypper "${arguments[@]}" list-updates 2>/dev/null | count '^v ') || fail 'zypper cannot list updates'
  security=$(zypper "${arguments[@]}" list-patches --category security 2>/dev/null | count '\| needed') || true
else
  fail 'this machine has none of apt, dnf, yum and zypper'
fi

if [[ -n $field ]]; then printf '::muster-field %s=%d\n' "$field" "$all"; fi
if ((security > 0)); then
  printf 'warning: %d updates are pending, %d of them for security\n' "$all" "$security"
  exit 2
fi
printf 'ok: %d updates are pending, none of them for security\n' "$all"
