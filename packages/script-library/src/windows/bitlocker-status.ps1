# Warns about fixed drives that BitLocker does not protect.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$field = "$env:PARAM_FIELD"
if ($field -and $field -cnotmatch '\A[a-z][a-z0-9_]{0,62}\z') { Fail 'field must be the key of a custom field' }

try {
    $volumes = @(Get-CimInstance -Namespace 'root\CIMV2\Security\MicrosoftVolumeEncryption' -ClassName Win32_EncryptableVolume |
        Where-Object { $_.DriveLetter -and $_.VolumeType -ne 2 })
} catch {
    Fail "BitLocker does not answer: $($_.Exception.Message)"
}

$open = @($volumes | Where-Object { $_.ProtectionStatus -ne 1 } | ForEach-Object { $_.DriveLetter })
$isProtected = $volumes.Count -gt 0 -and $open.Count -eq 0
if ($field) { Write-Output "::muster-field $field=$("$isProtected".ToLowerInvariant())" }
if (-not $isProtected) {
    if ($volumes.Count -eq 0) { Write-Output 'warning: this machine has no drive that BitLocker can protect' }
    else { Write-Output "warning: BitLocker does not protect $($open -join ', ')" }
    exit 2
}
Write-Output "ok: BitLocker protects $($volumes.Count) drives"
exit 0
