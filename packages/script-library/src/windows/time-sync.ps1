# Measures how far the clock of this machine is from a time server.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$server = if ($env:PARAM_SERVER) { $env:PARAM_SERVER } else { 'time.windows.com' }
$limit = 1000
if ($env:PARAM_WARN_MS) {
    if ($env:PARAM_WARN_MS -notmatch '\A[0-9]{1,8}\z') { Fail 'warn_ms must be a number from 1 to 99999999' }
    $limit = [int] $env:PARAM_WARN_MS
}
if ($limit -lt 1) { Fail 'warn_ms must be a number from 1 to 99999999' }
if ($server -notmatch '\A[A-Za-z0-9][A-Za-z0-9.-]{0,252}\z') { Fail 'server must be a name or an address' }

$output = @(& "$env:SystemRoot\System32\w32tm.exe" /stripchart "/computer:$server" /dataonly /samples:3 | ForEach-Object { "$_" })
# A line of a measurement ends with the offset in seconds, such as -00.0123456s.
$offsets = @($output | ForEach-Object { if ($_ -match '([+-][0-9]+[.,][0-9]+)s\s*$') { $Matches[1].Replace(',', '.') } })
if ($offsets.Count -eq 0) { Fail "$server does not tell the time" }

$culture = [Globalization.CultureInfo]::InvariantCulture
$sorted = @($offsets | ForEach-Object { [double]::Parse($_, $culture) } | Sort-Object)
$milliseconds = [int] [Math]::Round(1000 * $sorted[[int] [Math]::Floor($sorted.Count / 2)])
$distance = [Math]::Abs($milliseconds)
if ($distance -ge $limit) {
    $side = if ($milliseconds -gt 0) { 'behind' } else { 'ahead of' }
    Write-Output "warning: the clock is $distance ms $side $server"
    exit 2
}
Write-Output "ok: the clock is within $distance ms of $server"
exit 0
