# Warns about members of the local administrators that are not expected.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$expected = @()
if ($env:PARAM_EXPECTED) { $expected = @($env:PARAM_EXPECTED.Split(',') | ForEach-Object { $_.Trim() } | Where-Object { $_ }) }

# The group and the built-in account have other names in other languages; their SIDs are the same.
try {
    $group = (Get-CimInstance -ClassName Win32_Group -Filter "LocalAccount = TRUE AND SID = 'S-1-5-32-544'").Name
    # Get-LocalGroupMember fails on members whose domain is gone.
    $members = @(([ADSI] "WinNT://$env:COMPUTERNAME/$group,group").Invoke('Members') | ForEach-Object {
        $entry = [ADSI] $_
        $sid = New-Object Security.Principal.SecurityIdentifier -ArgumentList ([byte[]] $entry.objectSid.Value), 0
        @{ Path = ($entry.Path -replace '^WinNT://', ''); Sid = $sid.Value }
    })
} catch {
    Fail "the members cannot be listed: $($_.Exception.Message)"
}

$unexpected = @()
foreach ($member in $members) {
    $name = ($member.Path -split '/')[-1]
    $account = (($member.Path -split '/')[-2..-1]) -join '\'
    $isBuiltIn = $member.Sid -match '\AS-1-5-21-.*-500\z'
    if (-not $isBuiltIn -and $expected -notcontains $name -and $expected -notcontains $account -and $expected -notcontains $member.Sid) {
        $unexpected += $account
    }
}

if ($unexpected.Count -gt 0) {
    Write-Output "warning: $($unexpected.Count) of $($members.Count) administrators are not expected"
    $unexpected | Select-Object -First 20 | Write-Output
    exit 2
}
Write-Output "ok: all $($members.Count) administrators are expected"
exit 0
