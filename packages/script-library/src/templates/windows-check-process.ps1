# Warns if too few processes of a program run.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

$program = {{program}}
$least = {{least}}

$running = @(Get-Process | Where-Object { $_.ProcessName -eq $program }).Count
if ($running -lt $least) {
    Write-Output "warning: $running processes of $program run, expected $least"
    exit 2
}
Write-Output "ok: $running processes of $program run"
exit 0
