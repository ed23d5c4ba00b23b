# Warns about local drives that are short of space.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$warn = 85
if ($env:PARAM_WARN_PERCENT) {
    if ($env:PARAM_WARN_PERCENT -notmatch '\A[0-9]{1,3}\z') { Fail 'warn_percent must be a number from 1 to 100' }
    $warn = [int] $env:PARAM_WARN_PERCENT
}
if ($warn -lt 1 -or $warn -gt 100) { Fail 'warn_percent must be a number from 1 to 100' }
$field = "$env:PARAM_FIELD"
if ($field -and $field -cnotmatch '\A[a-z][a-z0-9_]{0,62}\z') { Fail 'field must be the key of a custom field' }

try {
    $drives = @(Get-CimInstance -ClassName Win32_LogicalDisk -Filter 'DriveType = 3' | Where-Object { $_.Size -gt 0 })
} catch {
    Fail "the drives cannot be listed: $($_.Exception.Message)"
}

$highest = 0
$full = @()
foreach ($drive in $drives) {
    $used = [int] [Math]::Ceiling(100 * ($drive.Size - $drive.FreeSpace) / $drive.Size)
    if ($used -gt $highest) { $highest = $used }
    if ($used -ge $warn) { $full += "$($drive.DeviceID) is $used % full" }
}

if ($field) { Write-Output "::muster-field $field=$highest" }
if ($full.Count -gt 0) {
    Write-Output "warning: $($full.Count) of $($drives.Count) drives are at or above $warn %"
    $full | Select-Object -First 20 | Write-Output
    exit 2
}
Write-Output "ok: $($drives.Count) drives are below $warn %, the fullest is at $highest %"
exit 0
