# Turns on the Windows Firewall for every profile, or only reports whether it is on.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$repair = "$env:PARAM_REPAIR"
if ($repair -and $repair -cnotmatch '\A(true|false)\z') { Fail 'repair must be true or false' }

# The active store includes what group policies decide.
function Get-DisabledProfile {
    @(Get-NetFirewallProfile -PolicyStore ActiveStore | Where-Object { "$($_.Enabled)" -ne 'True' } | ForEach-Object { $_.Name })
}

try {
    $disabled = @(Get-DisabledProfile)
    if ($disabled.Count -eq 0) {
        Write-Output 'unchanged: the firewall is on for every profile'
        exit 0
    }
    if ($repair -ne 'true') {
        Write-Output "warning: the firewall is off for $($disabled -join ', ')"
        exit 2
    }
    Set-NetFirewallProfile -Name $disabled -Enabled True
    $left = @(Get-DisabledProfile)
} catch {
    Fail "the firewall does not answer: $($_.Exception.Message)"
}
if ($left.Count -gt 0) { Fail "a policy keeps the firewall off for $($left -join ', ')" }
Write-Output "changed: the firewall was turned on for $($disabled -join ', ')"
exit 0
