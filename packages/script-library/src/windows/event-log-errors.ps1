# Counts errors and critical events in an event log, and warns if there are many.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}
function Get-Number([string] $Text, [string] $Name, [int] $Default, [int] $Most) {
    if (-not $Text) { return $Default }
    if ($Text -notmatch '\A[0-9]{1,6}\z' -or [int] $Text -lt 1 -or [int] $Text -gt $Most) { Fail "$Name must be a number from 1 to $Most" }
    return [int] $Text
}

$log = if ($env:PARAM_LOG) { $env:PARAM_LOG } else { 'System' }
$hours = Get-Number "$env:PARAM_HOURS" 'hours' 24 720
$warnAt = Get-Number "$env:PARAM_WARN_AT" 'warn_at' 20 10000
if ($log -notmatch '\A[A-Za-z0-9][A-Za-z0-9 /_.-]{0,254}\z') { Fail 'log must be the name of an event log' }

$since = (Get-Date).AddHours(-$hours)
$events = @()
try {
    $events = @(Get-WinEvent -FilterHashtable @{ LogName = $log; Level = 1, 2; StartTime = $since } -MaxEvents 10000)
} catch {
    # An empty answer is reported as an error.
    if ($_.FullyQualifiedErrorId -notlike 'NoMatchingEventsFound*') { Fail "the log $log cannot be read: $($_.Exception.Message)" }
}

if ($events.Count -lt $warnAt) {
    Write-Output "ok: $($events.Count) errors in $log within $hours hours"
    exit 0
}
Write-Output "warning: $($events.Count) errors in $log within $hours hours, most of them from:"
$events | Group-Object -Property @('ProviderName', 'Id') | Sort-Object -Property Count -Descending | Select-Object -First 5 |
    ForEach-Object { Write-Output "$($_.Count) $($_.Name)" }
exit 2
