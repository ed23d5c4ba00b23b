# Installs pending updates of Windows, all of them or the important ones. It does not restart the machine.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$scope = if ($env:PARAM_SCOPE) { $env:PARAM_SCOPE } else { 'important' }
if ($scope -cnotmatch '\A(important|all)\z') { Fail 'scope must be important or all' }

# Of the results of Windows Update: 2 is success, 3 success with errors.
$succeeded = 2
try {
    $session = New-Object -ComObject Microsoft.Update.Session
    $found = $session.CreateUpdateSearcher().Search("IsInstalled = 0 and IsHidden = 0 and Type = 'Software'").Updates
    $chosen = New-Object -ComObject Microsoft.Update.UpdateColl
    foreach ($update in $found) {
        $isImportant = $update.MsrcSeverity -eq 'Critical' -or $update.MsrcSeverity -eq 'Important'
        if ($update.InstallationBehavior.CanRequestUserInput -or ($scope -eq 'important' -and -not $isImportant)) { continue }
        if (-not $update.EulaAccepted) { $update.AcceptEula() }
        [void] $chosen.Add($update)
    }
    if ($chosen.Count -eq 0) {
        Write-Output "unchanged: no updates are pending ($scope)"
        exit 0
    }
    $downloader = $session.CreateUpdateDownloader()
    $downloader.Updates = $chosen
    [void] $downloader.Download()
    $installer = $session.CreateUpdateInstaller()
    $installer.Updates = $chosen
    $outcome = $installer.Install()
} catch {
    Fail "the updates could not be installed: $($_.Exception.Message)"
}

$failed = @()
for ($index = 0; $index -lt $chosen.Count; $index++) {
    if ($outcome.GetUpdateResult($index).ResultCode -ne $succeeded) { $failed += $chosen.Item($index).Title }
}
if ($failed.Count -gt 0) {
    $failed | Select-Object -First 20 | Write-Output
    Fail "$($failed.Count) of $($chosen.Count) updates were not installed"
}
if ($outcome.RebootRequired) {
    Write-Output "warning: $($chosen.Count) updates were installed, and the machine must restart"
    exit 2
}
Write-Output "changed: $($chosen.Count) updates were installed"
exit 0
