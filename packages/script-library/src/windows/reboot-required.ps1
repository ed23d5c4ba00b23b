# Warns if Windows waits for a restart.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$field = "$env:PARAM_FIELD"
if ($field -and $field -cnotmatch '\A[a-z][a-z0-9_]{0,62}\z') { Fail 'field must be the key of a custom field' }

$reasons = @()
$version = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion'
if (Test-Path -LiteralPath "$version\Component Based Servicing\RebootPending") { $reasons += 'components of Windows were changed' }
if (Test-Path -LiteralPath "$version\WindowsUpdate\Auto Update\RebootRequired") { $reasons += 'updates were installed' }
$manager = Get-Item -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager'
if (@($manager.GetValue('PendingFileRenameOperations', @()) | Where-Object { $_ }).Count -gt 0) { $reasons += 'files in use are to be replaced' }
$names = 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName'
$active = (Get-Item -LiteralPath "$names\ActiveComputerName").GetValue('ComputerName')
$next = (Get-Item -LiteralPath "$names\ComputerName").GetValue('ComputerName')
if ($active -ne $next) { $reasons += 'the machine was renamed' }

$isRequired = $reasons.Count -gt 0
if ($field) { Write-Output "::muster-field $field=$("$isRequired".ToLowerInvariant())" }
if ($isRequired) {
    Write-Output "warning: the machine must restart: $($reasons -join ', ')"
    exit 2
}
Write-Output 'ok: no restart is needed'
exit 0
