# Counts the updates that Windows Update offers, and warns about important ones.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$field = "$env:PARAM_FIELD"
if ($field -and $field -cnotmatch '\A[a-z][a-z0-9_]{0,62}\z') { Fail 'field must be the key of a custom field' }

try {
    $session = New-Object -ComObject Microsoft.Update.Session
    $found = $session.CreateUpdateSearcher().Search('IsInstalled = 0 and IsHidden = 0').Updates
} catch {
    Fail "Windows Update does not answer: $($_.Exception.Message)"
}

$important = @()
foreach ($update in $found) {
    if ($update.MsrcSeverity -eq 'Critical' -or $update.MsrcSeverity -eq 'Important') {
        $important += "$($update.MsrcSeverity): $($update.Title)"
    }
}

if ($field) { Write-Output "::muster-field $field=$($found.Count)" }
if ($important.Count -gt 0) {
    Write-Output "warning: $($found.Count) updates are pending, $($important.Count) of them important"
    $important | Select-Object -First 20 | Write-Output
    exit 2
}
Write-Output "ok: $($found.Count) updates are pending, none of them important"
exit 0
