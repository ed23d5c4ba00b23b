# Deletes old files from one folder, but not from the folders in it.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

$folder = {{folder}}
$pattern = {{pattern}}
$days = {{days}}

if (-not (Test-Path -LiteralPath $folder -PathType Container)) {
    [Console]::Error.WriteLine("error: there is no folder $folder")
    exit 1
}
$limit = (Get-Date).AddDays(-$days)
$deleted = 0
$failed = 0
foreach ($file in @(Get-ChildItem -LiteralPath $folder -Force | Where-Object { -not $_.PSIsContainer })) {
    if ($file.Name -notlike $pattern -or $file.LastWriteTime -ge $limit) { continue }
    # A program may still hold the file open.
    try {
        Remove-Item -LiteralPath $file.FullName -Force
        $deleted++
    } catch { $failed++ }
}
if ($failed -gt 0) {
    Write-Output "warning: deleted $deleted files, $failed could not be deleted"
    exit 2
}
if ($deleted -eq 0) { Write-Output "unchanged: $folder has no such files" }
else { Write-Output "changed: deleted $deleted files" }
exit 0
