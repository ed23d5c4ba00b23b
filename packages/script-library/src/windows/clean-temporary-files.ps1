# Deletes old files from the temporary folders of Windows and of its users.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

# Lists files without entering links, which could lead out of the folder.
function Find-OldFile([string] $Folder, [datetime] $Limit) {
    foreach ($item in @(Get-ChildItem -LiteralPath $Folder -Force -ErrorAction SilentlyContinue)) {
        if ($item.Attributes -band [IO.FileAttributes]::ReparsePoint) { continue }
        if ($item.PSIsContainer) { Find-OldFile $item.FullName $Limit }
        elseif ($item.LastWriteTime -lt $Limit) { $item }
    }
}

$days = 7
if ($env:PARAM_DAYS) {
    if ($env:PARAM_DAYS -notmatch '\A[0-9]{1,4}\z') { Fail 'days must be a number from 1 to 3650' }
    $days = [int] $env:PARAM_DAYS
}
if ($days -lt 1 -or $days -gt 3650) { Fail 'days must be a number from 1 to 3650' }
$dryRun = "$env:PARAM_DRY_RUN"
if ($dryRun -and $dryRun -cnotmatch '\A(true|false)\z') { Fail 'dry_run must be true or false' }

$limit = (Get-Date).AddDays(-$days)
$folders = @("$env:SystemRoot\Temp")
$profiles = @(Get-CimInstance -ClassName Win32_UserProfile -Filter 'Special = FALSE')
$folders += @($profiles | Where-Object { $_.LocalPath } | ForEach-Object { Join-Path $_.LocalPath 'AppData\Local\Temp' })

$files = @($folders | Where-Object { Test-Path -LiteralPath $_ -PathType Container } | ForEach-Object { Find-OldFile $_ $limit })
$bytes = [long] 0
$deleted = 0
foreach ($file in $files) {
    $size = $file.Length
    if ($dryRun -ne 'true') {
        # A program may still hold the file open.
        try { Remove-Item -LiteralPath $file.FullName -Force } catch { continue }
    }
    $deleted++
    $bytes += $size
}

if ($deleted -eq 0) {
    Write-Output "unchanged: no file that can be deleted is older than $days days"
} elseif ($dryRun -eq 'true') {
    Write-Output "ok: $deleted files with $bytes bytes are older than $days days; nothing was deleted"
} else {
    Write-Output "changed: deleted $deleted files with $bytes bytes"
}
exit 0
