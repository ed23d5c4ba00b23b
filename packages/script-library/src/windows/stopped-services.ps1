# Warns about services that start with Windows and do not run.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$ignore = @()
if ($env:PARAM_IGNORE) { $ignore = @($env:PARAM_IGNORE.Split(',') | ForEach-Object { $_.Trim() } | Where-Object { $_ }) }

try {
    $services = @(Get-CimInstance -ClassName Win32_Service -Filter "StartMode = 'Auto' AND State <> 'Running'")
} catch {
    Fail "the services cannot be listed: $($_.Exception.Message)"
}

# A service with a trigger, or one that starts with a delay, may be stopped for good reasons; one that ended well is done.
$stopped = @()
foreach ($service in $services) {
    if ($ignore -contains $service.Name -or $service.ExitCode -eq 0) { continue }
    if (Test-Path -LiteralPath "HKLM:\SYSTEM\CurrentControlSet\Services\$($service.Name)\TriggerInfo") { continue }
    $stopped += "$($service.Name): $($service.State), exit code $($service.ExitCode)"
}

if ($stopped.Count -gt 0) {
    Write-Output "warning: $($stopped.Count) services that start with Windows do not run"
    $stopped | Select-Object -First 20 | Write-Output
    exit 2
}
Write-Output 'ok: no service that starts with Windows ended with an error'
exit 0
