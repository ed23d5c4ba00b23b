#!/bin/sh
# Installs the Muster agent on this machine, or brings it up to date, or takes it away. Running it again does no harm.
#
#   file=$(mktemp) && curl -fsSL @SERVER@/api/v1/agents/install.sh -o "$file" && sudo sh "$file"
#
# The enrollment key, or a short install code in its place, is read from standard input: as an argument it would stand in the
# process list, in the log of sudo and in the history of the shell. MUSTER_ENROLLMENT_KEY is taken too, where it is set.
#
#   --key-stdin         reads a key although this machine is enrolled already
#   --allow-plaintext   takes http: addresses that leave this machine; whoever is on the path then controls it
#   --server URL        address of the server, instead of the one that this script came from
#   --version V         that version instead of the latest
#   --release-key FILE  public keys (PEM) that all have to have signed the release, instead of those in this script
#   --root DIR          installs under that folder instead of /, and starts nothing
#   --no-start          installs without starting
#   --proxy URL         HTTP proxy to go through, instead of the one that the environment names
#   --uninstall         stops and removes the agent; with --purge its identity as well
#
# A proxy is taken from https_proxy, http_proxy, all_proxy and no_proxy (or in capitals), and handed on to the agent. sudo
# passes none of them on: there --proxy names it.
set -eu

server='@SERVER@'
key=${MUSTER_ENROLLMENT_KEY:-}
version=''
root=''
release_key=''
start=yes
action=install
purge=no
ask=no
plaintext=${ALLOW_PLAINTEXT:-}
# So many of the trusted keys have to have signed.
threshold=@THRESHOLD@

say() { printf '%s\n' "muster: $*"; }
die() {
  printf '%s\n' "muster: $*" >&2
  exit 1
}
needs() { [ "$1" -ge 2 ] || die "$2 needs a value"; }

while [ $# -gt 0 ]; do
  case $1 in
    --key | --code | --key=* | --code=*) die "${1%%=*} is not taken: give the key on standard input, where other users do not see it" ;;
    --key-stdin) ask=yes; shift ;;
    --allow-plaintext) plaintext=true; shift ;;
    --server) needs $# "$1"; server=$2; shift 2 ;;
    --proxy) needs $# "$1"; https_proxy=$2 http_proxy=$2; shift 2 ;;
    --version) needs $# "$1"; version=$2; shift 2 ;;
    --release-key) needs $# "$1"; release_key=$2; shift 2 ;;
    --root) needs $# "$1"; root=$2; shift 2 ;;
    --no-start) start=no; shift ;;
    --uninstall) action=uninstall; shift ;;
    --purge) purge=yes; shift ;;
    *) die "unknown option $1" ;;
  esac
done
if [ "$purge" = yes ] && [ "$action" != uninstall ]; then die '--purge needs --uninstall'; fi

server=${server%/}
root=${root%/}
program=$root/opt/muster/muster-agent
new=$program.installing
case $(uname -s) in
  Linux)
    os=linux
    data=$root/var/lib/muster-agent
    settings=$root/etc/muster/agent.env
    units=$root/etc/systemd/system
    ;;
  Darwin)
    os=darwin
    data="$root/Library/Application Support/Muster Agent"
    label=com.muster.agent
    daemon=$root/Library/LaunchDaemons/$label.plist
    ;;
  *) die "there is no agent for $(uname -s) yet" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) die "there is no agent for $(uname -m) yet" ;;
esac
# A shell that macOS translates for another processor is told the other one.
if [ "$os" = darwin ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then arch=arm64; fi
[ -n "$root" ] && start=no
if [ -z "$root" ] && [ "$(id -u)" -ne 0 ]; then die 'run this as root, or with --root DIR'; fi

# Who fetches for us reads small letters alone, and not all of them all_proxy.
https_proxy=${https_proxy:-${HTTPS_PROXY:-${all_proxy:-${ALL_PROXY:-}}}}
http_proxy=${http_proxy:-${HTTP_PROXY:-${all_proxy:-${ALL_PROXY:-}}}}
no_proxy=${no_proxy:-${NO_PROXY:-}}
export https_proxy http_proxy no_proxy

has() { command -v "$1" >/dev/null 2>&1; }
systemd_runs() { [ "$os" = linux ] && [ -z "$root" ] && [ -d /run/systemd/system ] && has systemctl; }
launchd_runs() { [ "$os" = darwin ] && [ -z "$root" ]; }

uninstall() {
  if [ "$os" = darwin ]; then
    if launchd_runs; then unload; fi
    rm -f "$daemon"
  else
    if systemd_runs; then systemctl disable --now muster-agent.service >/dev/null 2>&1 || true; fi
    rm -f "$units/muster-agent.service" "$settings"
    rmdir "${settings%/*}" 2>/dev/null || true
    if systemd_runs; then systemctl daemon-reload; fi
  fi
  rm -rf "$root/opt/muster"
  if [ "$purge" = yes ]; then
    rm -rf "$data"
    say 'removed, with its identity'
  else
    say "removed; its identity stays in $data"
  fi
}

# launchd ends a service in the background.
unload() {
  launchctl bootout "system/$label" >/dev/null 2>&1 || true
  tries=0
  while launchctl print "system/$label" >/dev/null 2>&1 && [ "$tries" -lt 20 ]; do
    sleep 1
    tries=$((tries + 1))
  done
}

# fetch URL FILE
fetch() {
  if has curl; then
    curl -fsSL --retry 3 --connect-timeout 15 -o "$2" "$1"
  elif has wget && wget --help 2>&1 | grep -q -e --tries; then
    wget -q --tries=3 --timeout=15 -O "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  else
    die 'needs curl or wget'
  fi
}

sha256() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    die 'needs sha256sum, shasum or openssl'
  fi
}

# The releases that this server had when it made this script: "<version> <os>-<arch> <sha256>" each.
known_releases() {
  cat <<'RELEASES'
@RELEASES@
RELEASES
}

# The public keys that releases are signed with.
trusted_keys() {
  cat <<'KEYS'
@KEYS@
KEYS
}

# has_signed PEM: whether one of the signatures, 64 bytes each, is of that key
has_signed() {
  piece=0
  while dd if="$scratch/SHA256SUMS.sig" of="$scratch/sig" bs=64 skip="$piece" count=1 2>/dev/null && [ -s "$scratch/sig" ]; do
    if openssl pkeyutl -verify -pubin -inkey "$1" -rawin -in "$scratch/SHA256SUMS" -sigfile "$scratch/sig" >/dev/null 2>&1; then
      return 0
    fi
    piece=$((piece + 1))
    [ "$piece" -lt 32 ] || return 1
  done
  return 1
}

# Checks the list of hashes: as many trusted keys have to have signed it as the root of the releases demands.
verify_signature() {
  base=$server/api/v1/agents/releases/targets/$version
  for name in SHA256SUMS SHA256SUMS.sig; do
    fetch "$base/$name" "$scratch/$name" || die "$name of version $version could not be fetched"
  done
  if [ -n "$release_key" ]; then cp "$release_key" "$scratch/keys"; else trusted_keys >"$scratch/keys"; fi
  number=0
  while IFS= read -r line; do
    case $line in *BEGIN*) number=$((number + 1)) ;; esac
    [ "$number" -gt 0 ] && printf '%s\n' "$line" >>"$scratch/key-$number.pem"
  done <"$scratch/keys"
  wanted=$threshold
  if [ -n "$release_key" ]; then wanted=$number; fi
  signers=0
  for pem in "$scratch"/key-*.pem; do
    if has_signed "$pem"; then signers=$((signers + 1)); fi
  done
  if [ "$wanted" -lt 1 ] || [ "$signers" -lt "$wanted" ]; then
    die "version $version is not signed with a key that is trusted, or with too few: $signers of $wanted signatures fit"
  fi
  signed=$(sed -n "s/^\([0-9a-f]\{64\}\)  muster-agent-$os-$arch\$/\1/p" "$scratch/SHA256SUMS")
  [ "$signed" = "$expected" ] || die "the signed hash of version $version is another one"
}

# Sets version and expected.
choose_release() {
  found=$(known_releases | while read -r each target hash; do
    case $each in *-*) [ -n "$version" ] || continue ;; esac
    if [ "$target" = "$os-$arch" ] && { [ -z "$version" ] || [ "$each" = "$version" ]; }; then
      printf '%s %s\n' "$each" "$hash"
      break
    fi
  done)
  [ -n "$found" ] || die "this server has no agent ${version:+$version }for $os-$arch"
  version=${found% *}
  expected=${found#* }
}

can_verify_signatures() { has openssl && openssl pkeyutl -help 2>&1 | grep -q -- -rawin; }

# Says what macOS thinks of the executable. An Apple processor runs none without any signature.
check_build() {
  xattr -d com.apple.quarantine "$new" 2>/dev/null || true
  if ! has codesign; then return 0; fi
  case $(codesign -d -v "$new" 2>&1 || true) in
    *'not signed at all'*)
      [ "$arch" != arm64 ] || die 'this build is not signed, so this Mac cannot run it: sign it with scripts/sign-macos.sh'
      say 'this build is not signed: macOS cannot tell who made it'
      ;;
    *Signature=adhoc*) say 'this build has no signature of a developer: macOS cannot tell who made it' ;;
  esac
}

# What the watchdog runs from: a name of its own, so that no update that fails can break it.
link_watchdog() { ln -f "$program" "$program.watchdog" 2>/dev/null || cp -f "$program" "$program.watchdog"; }

install_program() {
  if [ -f "$program" ] && [ "$(sha256 "$program")" = "$expected" ]; then
    say "version $version is there already"
    [ -f "$program.watchdog" ] || link_watchdog
    return 0
  fi
  mkdir -p "${program%/*}"
  say "fetching version $version for $os-$arch"
  fetch "$server/api/v1/agents/download/$os/$arch?version=$version" "$new" || die 'the agent could not be fetched'
  [ "$(sha256 "$new")" = "$expected" ] || die 'what was fetched is not the agent: its SHA-256 is another one'
  chmod 755 "$new"
  if [ "$os" = darwin ]; then check_build; fi
  "$new" --version >/dev/null || die 'the agent does not run on this machine'
  mv -f "$new" "$program"
  link_watchdog
}

quoted() { printf '%s' "$1" | tr -d '\n' | sed "s/[\\\\\"]/\\\\&/g"; }

# setting NAME VALUE: a line for systemd, nothing without a value
setting() { if [ -n "$2" ]; then printf '%s="%s"\n' "$1" "$(quoted "$2")"; fi; }

write_settings() {
  mkdir -p "$data"
  chmod 700 "$data"
  (
    umask 077
    # The agent deletes it once it is enrolled.
    if [ -n "$key" ]; then printf '%s\n' "$key" >"$data/enrollment.key"; fi
  )
  if [ "$os" = darwin ]; then write_daemon; else write_unit; fi
}

# The settings of the service on Linux.
write_environment() {
  mkdir -p "${settings%/*}"
  (
    umask 077
    {
      setting https_proxy "$https_proxy"
      setting http_proxy "$http_proxy"
      setting no_proxy "$no_proxy"
      if [ "$plaintext" = true ]; then setting ALLOW_PLAINTEXT true; fi
    } >"$settings"
  )
  chmod 600 "$settings"
}

# The key from standard input, or from the terminal where this very script came on standard input.
read_key() {
  from_stdin=no
  if [ -f "$0" ]; then from_stdin=yes; fi
  hidden=no
  if [ -t 0 ] || [ "$from_stdin" = no ]; then
    printf 'Enrollment key (not shown): ' 2>/dev/null >/dev/tty || return 0
    if has stty && stty -echo 2>/dev/null </dev/tty; then hidden=yes; fi
  fi
  if [ "$from_stdin" = yes ]; then IFS= read -r key || true; else IFS= read -r key </dev/tty || true; fi
  if [ "$hidden" = yes ]; then
    stty echo </dev/tty
    echo >/dev/tty
  fi
}

# is_loopback HOST
is_loopback() {
  case $1 in
    localhost | *.localhost | '[::1]') return 0 ;;
    127.*) case $1 in *[!0-9.]*) return 1 ;; *) return 0 ;; esac ;;
    *) return 1 ;;
  esac
}

write_unit() {
  write_environment
  mkdir -p "$units"
  cat >"$units/muster-agent.service" <<UNIT
[Unit]
Description=Muster agent and its watchdog
After=network-online.target
Wants=network-online.target

[Service]
# Authorities that this machine trusts, besides those that the agent knows.
Environment=NODE_USE_SYSTEM_CA=1
EnvironmentFile=-/etc/muster/agent.env
ExecStart=/opt/muster/muster-agent.watchdog watchdog --server $server --data-dir /var/lib/muster-agent
Restart=always
RestartSec=5
# 2: wrong command line. 3: the server refused this machine, or a file in the data folder is damaged. No other user of the
# machine can cause either.
RestartPreventExitStatus=2 3
KillMode=mixed
TimeoutStopSec=20

[Install]
WantedBy=multi-user.target
UNIT
}

# text VALUE: a string of a property list
text() { printf '<string>%s</string>' "$(printf '%s' "$1" | tr -d '\n' | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')"; }

# entry NAME VALUE: a line of a property list, nothing without a value
entry() { if [ -n "$2" ]; then printf '    <key>%s</key>%s\n' "$1" "$(text "$2")"; fi; }

# launchd takes the settings from the definition. Only root may read it, because a proxy may have a password.
write_daemon() {
  mkdir -p "${daemon%/*}"
  (
    umask 077
    cat >"$daemon.new" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>$(text "$label")
  <key>ProgramArguments</key>
  <array>
    $(text /opt/muster/muster-agent.watchdog)
    $(text watchdog)
    $(text --server)$(text "$server")
    $(text --data-dir)$(text "${data#"$root"}")
  </array>
  <key>EnvironmentVariables</key>
  <dict>
$(entry NODE_USE_SYSTEM_CA 1)
$(entry https_proxy "$https_proxy")
$(entry http_proxy "$http_proxy")
$(entry no_proxy "$no_proxy")
$(if [ "$plaintext" = true ]; then entry ALLOW_PLAINTEXT true; fi)
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <!-- The agent goes on while its watchdog is started again. -->
  <key>AbandonProcessGroup</key><true/>
  <key>ExitTimeOut</key><integer>20</integer>
  <key>StandardOutPath</key><string>/var/log/muster-agent.log</string>
  <key>StandardErrorPath</key><string>/var/log/muster-agent.log</string>
</dict>
</plist>
PLIST
  )
  mv -f "$daemon.new" "$daemon"
}

if [ "$action" = uninstall ]; then
  uninstall
  exit 0
fi

case $server in
  https://*) ;;
  http://*)
    host=${server#http://}
    host=${host%%/*}
    case $host in
      *@*) host=${host##*@} ;;
    esac
    case $host in
      '['*) host=${host%%]*}] ;;
      *) host=${host%%:*} ;;
    esac
    [ "$plaintext" = true ] || is_loopback "$host" ||
      die "$server is not encrypted: give its https: address as --server, or add --allow-plaintext"
    ;;
  *) die "$server is no address of a server" ;;
esac
enrolled=no
if [ -f "$data/enrolment.json" ]; then enrolled=yes; fi
if [ -z "$key" ] && { [ "$ask" = yes ] || [ "$enrolled" = no ]; }; then read_key; fi
case $key in *[!A-Za-z0-9_.-]*) die 'the enrolment key contains characters that no key has' ;; esac
if [ -z "$key" ] && [ "$enrolled" = no ]; then die 'needs the enrollment key on standard input, or in MUSTER_ENROLLMENT_KEY'; fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$new"' EXIT
trap 'exit 1' HUP INT TERM
choose_release
if [ -n "$release_key" ] || [ -n "$(trusted_keys)" ]; then
  if can_verify_signatures; then
    verify_signature
  elif [ -n "$release_key" ]; then
    die 'needs openssl 3 to check the signature'
  else
    say 'openssl 3 is not there: the signature of the first version is not checked, only its SHA-256'
  fi
fi
install_program
write_settings
if launchd_runs; then
  if [ "$start" = yes ]; then
    unload
    launchctl enable "system/$label"
    launchctl bootstrap system "$daemon" || die "launchd does not take $daemon"
    say 'the agent runs'
  fi
elif systemd_runs; then
  systemctl daemon-reload
  if [ "$start" = yes ]; then
    systemctl enable muster-agent.service >/dev/null 2>&1
    systemctl restart muster-agent.service
    say 'the agent runs'
  fi
else
  say "start it with: NODE_USE_SYSTEM_CA=1 '$program.watchdog' watchdog --server $server --data-dir '$data'"
fi
say "version $version is installed"
