# Warns if Microsoft Defender does not protect the machine, or if its signatures are old.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$days = 3
if ($env:PARAM_SIGNATURE_DAYS) {
    if ($env:PARAM_SIGNATURE_DAYS -notmatch '\A[0-9]{1,2}\z') { Fail 'signature_days must be a number from 1 to 99' }
    $days = [int] $env:PARAM_SIGNATURE_DAYS
}
if ($days -lt 1) { Fail 'signature_days must be a number from 1 to 99' }

try {
    $status = Get-CimInstance -Namespace 'root\Microsoft\Windows\Defender' -ClassName MSFT_MpComputerStatus
} catch {
    Fail "Microsoft Defender does not answer: $($_.Exception.Message)"
}

# In passive mode another product protects the machine.
if ("$($status.AMRunningMode)" -match 'Passive') {
    Write-Output 'ok: Microsoft Defender is passive, because another product protects the machine'
    exit 0
}
$problems = @()
if (-not $status.AntivirusEnabled) { $problems += 'the antivirus is off' }
if (-not $status.RealTimeProtectionEnabled) { $problems += 'real-time protection is off' }
if (-not $status.IsTamperProtected) { $problems += 'tamper protection is off' }
if ($status.AntivirusSignatureAge -gt $days) { $problems += "the signatures are $($status.AntivirusSignatureAge) days old" }

if ($problems.Count -gt 0) {
    Write-Output "warning: $($problems -join ', ')"
    exit 2
}
Write-Output "ok: Microsoft Defender is on, its signatures are $($status.AntivirusSignatureAge) days old"
exit 0
