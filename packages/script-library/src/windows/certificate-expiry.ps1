# Warns about certificates of the machine that expire soon.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$days = 30
if ($env:PARAM_DAYS) {
    if ($env:PARAM_DAYS -notmatch '\A[0-9]{1,4}\z') { Fail 'days must be a number from 1 to 9999' }
    $days = [int] $env:PARAM_DAYS
}
if ($days -lt 1) { Fail 'days must be a number from 1 to 9999' }

# Certificates with a private key are the ones that this machine uses itself.
$stores = 'Cert:\LocalMachine\My', 'Cert:\LocalMachine\WebHosting', 'Cert:\LocalMachine\Remote Desktop'
$limit = (Get-Date).AddDays($days)
$checked = 0
$ending = @()
foreach ($store in $stores) {
    if (-not (Test-Path -LiteralPath $store)) { continue }
    foreach ($certificate in @(Get-ChildItem -LiteralPath $store | Where-Object { $_.HasPrivateKey })) {
        $checked++
        if ($certificate.NotAfter -le $limit) {
            $end = $certificate.NotAfter.ToUniversalTime().ToString('yyyy-MM-dd HH:mm', [Globalization.CultureInfo]::InvariantCulture)
            $ending += "$($certificate.Subject) ($($certificate.Thumbprint)): until $end UTC"
        }
    }
}

if ($ending.Count -gt 0) {
    Write-Output "warning: $($ending.Count) of $checked certificates end within $days days"
    $ending | Select-Object -First 20 | Write-Output
    exit 2
}
Write-Output "ok: $checked certificates are valid for more than $days days"
exit 0
