#!/bin/sh
# Signs an agent for macOS, on a Mac, after `npm run build:agent` and before `npm run release`: the hash of the release is that of
# the signed file.
#
#   scripts/sign-macos.sh EXECUTABLE                        ad-hoc: it runs, but macOS cannot tell who made it
#   scripts/sign-macos.sh EXECUTABLE IDENTITY               with a "Developer ID Application" certificate in the keychain
#   scripts/sign-macos.sh EXECUTABLE IDENTITY PROFILE       and notarized, with a profile of `xcrun notarytool store-credentials`
set -eu

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
  sed -n 's/^#   //p' "$0" >&2
  exit 2
fi
executable=$1
identity=${2:--}
profile=${3:-}
command -v codesign >/dev/null || {
  echo 'codesign is part of macOS: run this on a Mac' >&2
  exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The runtime compiles code while it runs, which the hardened runtime forbids unless the signature allows it.
cat >"$scratch/entitlements.plist" <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>com.apple.security.cs.allow-jit</key><true/>
  <key>com.apple.security.cs.allow-unsigned-executable-memory</key><true/>
</dict>
</plist>
PLIST

if [ "$identity" = - ]; then
  codesign --force --sign - --identifier com.muster.agent --timestamp=none "$executable"
else
  codesign --force --sign "$identity" --identifier com.muster.agent --options runtime --timestamp \
    --entitlements "$scratch/entitlements.plist" "$executable"
fi
codesign --verify --strict --verbose "$executable"
"$executable" --version

# A ticket cannot be attached to a bare executable: a Mac asks Apple for it when the agent first runs.
if [ -n "$profile" ]; then
  ditto -c -k "$executable" "$scratch/agent.zip"
  xcrun notarytool submit "$scratch/agent.zip" --keychain-profile "$profile" --wait
fi
