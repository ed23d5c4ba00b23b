# Installs the Muster agent on this machine, upgrades it, or removes it. Running it again does no harm.
#
#   [Net.ServicePointManager]::SecurityProtocol = 'Tls12'
#   & ([scriptblock]::Create((New-Object Net.WebClient).DownloadString('@SERVER@/api/v1/agents/install.ps1')))
#
# in a PowerShell (5.1 or 7) that runs as administrator. It asks for the enrollment key or a short install code, or takes it
# from the variable MUSTER_ENROLLMENT_KEY. A key is no parameter, because it would stand in the process list and in logs.
#
#   -Server URL         address of the server, instead of the one that this script came from
#   -Proxy URL          HTTP proxy for the downloads and for the agent, such as http://user:password@proxy:3128
#   -Version V          that version instead of the latest
#   -ReleaseKey FILE    public keys (PEM) that all have to have signed the release, instead of those in this script
#   -AskKey             asks for a key although this machine is enrolled already
#   -AllowPlaintext     takes http: addresses that leave this machine; an attacker on the network path then controls it
#   -NoStart            installs without starting
#   -Uninstall          stops and removes the agent; with -Purge its identity as well
param(
    [string] $Server = '@SERVER@',
    [string] $Proxy = '',
    [string] $Version = '',
    [string] $ReleaseKey = '',
    [switch] $AskKey,
    [switch] $AllowPlaintext,
    [switch] $NoStart,
    [switch] $Uninstall,
    [switch] $Purge
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

# So many of the trusted keys have to have signed.
$threshold = @THRESHOLD@
$service = 'MusterAgent'

# The releases that this server had when it made this script: "<version> <os>-<arch> <sha256>" each.
$releases = @'
@RELEASES@
'@

# The public keys that releases are signed with.
$trustedKeys = @'
@KEYS@
'@

$verifier = @'
@VERIFIER@
'@

function Say([string] $text) { Write-Host "muster: $text" }

# A terminating error: powershell.exe ends with code 1, and a window into which the command was pasted stays open.
function Fail([string] $text) { throw "muster: $text" }

function Test-Administrator {
    $identity = [Security.Principal.WindowsIdentity]::GetCurrent()
    return (New-Object Security.Principal.WindowsPrincipal $identity).IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

# The processor of the system, also in a PowerShell that is emulated or has 32 bits.
function Get-Architecture {
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
    $name = (Get-ItemProperty -LiteralPath $key).PROCESSOR_ARCHITECTURE
    switch ($name) {
        'AMD64' { return 'x64' }
        'ARM64' { return 'arm64' }
        default { Fail "there is no agent for $name" }
    }
}

function Test-Address([string] $address) {
    $uri = $null
    if ($address -match '[\s"'']' -or -not [Uri]::TryCreate($address, [UriKind]::Absolute, [ref] $uri)) { return $false }
    return ($uri.Scheme -eq 'https' -or $uri.Scheme -eq 'http') -and $uri.Host -ne ''
}

function Receive-File([string] $url, [string] $file) {
    $client = New-Object Net.WebClient
    try {
        if ($Proxy -ne '') {
            $uri = New-Object Uri $Proxy
            $client.Proxy = New-Object Net.WebProxy $uri
            if ($uri.UserInfo -ne '') {
                $name, $password = $uri.UserInfo -split ':', 2 | ForEach-Object { [Uri]::UnescapeDataString($_) }
                $client.Proxy.Credentials = New-Object Net.NetworkCredential $name, "$password"
            }
        }
        elseif ($null -ne $client.Proxy) { $client.Proxy.Credentials = [Net.CredentialCache]::DefaultCredentials }
        $client.DownloadFile($url, $file)
    }
    catch { Fail "$url could not be fetched: $($_.Exception.GetBaseException().Message)" }
    finally { $client.Dispose() }
}

# The newest stable release, or the one of -Version: its version and its SHA-256.
function Select-Release([string] $target) {
    foreach ($line in $releases -split "`n") {
        $each, $platform, $hash = $line.Trim() -split ' '
        if ($platform -ne $target) { continue }
        if ($Version -eq '' -and $each.Contains('-')) { continue }
        if ($Version -eq '' -or $Version -eq $each) { return @{ Version = $each; Sha256 = $hash } }
    }
    Fail "this server has no agent $(if ($Version -ne '') { "$Version " })for $target"
}

# Checks the list of hashes: as many trusted keys have to have signed it as the root of the releases demands.
function Confirm-Signature($release, [string] $target, [string] $folder) {
    $pem = $trustedKeys
    $wanted = $threshold
    if ($ReleaseKey -ne '') { $pem = [IO.File]::ReadAllText((Resolve-Path -LiteralPath $ReleaseKey).ProviderPath) }
    elseif ($pem.Trim() -eq '') {
        Say 'this server has no signing keys: only the SHA-256 of the agent is checked'
        return
    }
    if (-not ('ReleaseSignature' -as [type])) {
        try {
            if ($PSVersionTable.PSVersion.Major -ge 6) { Add-Type -TypeDefinition $verifier }
            else { Add-Type -TypeDefinition $verifier -ReferencedAssemblies 'System.Numerics', 'System.Core' }
        }
        catch { Fail "the signature of the release cannot be checked in this PowerShell: $($_.Exception.Message)" }
    }
    if ($ReleaseKey -ne '') { $wanted = [ReleaseSignature]::Keys($pem).Count }
    foreach ($name in 'SHA256SUMS', 'SHA256SUMS.sig') {
        Receive-File "$Server/api/v1/agents/releases/targets/$($release.Version)/$name" (Join-Path $folder $name)
    }
    $sums = [IO.File]::ReadAllBytes((Join-Path $folder 'SHA256SUMS'))
    $signers = [ReleaseSignature]::Signers($sums, [IO.File]::ReadAllBytes((Join-Path $folder 'SHA256SUMS.sig')), $pem)
    if ($wanted -lt 1 -or $signers -lt $wanted) {
        Fail "version $($release.Version) is not signed with a key that is trusted, or with too few: $signers of $wanted signatures fit"
    }
    if ([ReleaseSignature]::HashOf($sums, "muster-agent-$target") -cne $release.Sha256) {
        Fail "the signed hash of version $($release.Version) is another one"
    }
}

# Windows checks the signature of a developer, where the build has one.
function Confirm-Build([string] $file) {
    $signature = Get-AuthenticodeSignature -LiteralPath $file
    if ($signature.Status -eq 'NotSigned') { Say 'this build has no signature of a developer: Windows cannot tell who made it' }
    elseif ($signature.Status -eq 'HashMismatch') { Fail 'the agent was changed after its developer signed it' }
    elseif ($signature.Status -ne 'Valid') { Say "the signature of the developer is not valid on this machine: $($signature.StatusMessage)" }
    else { Say "signed by $($signature.SignerCertificate.Subject)" }
}

# Runs the agent to its end. Its output is read here, because an error line of a program would end this script.
function Invoke-Agent([string] $file, [string[]] $arguments, [string] $key) {
    $start = New-Object Diagnostics.ProcessStartInfo
    $start.FileName = $file
    # Addresses were checked to have no blanks and no quotes.
    $start.Arguments = $arguments -join ' '
    $start.UseShellExecute = $false
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    if ($key -ne '') { $start.EnvironmentVariables['MUSTER_ENROLLMENT_KEY'] = $key }
    else { $start.EnvironmentVariables.Remove('MUSTER_ENROLLMENT_KEY') }
    try { $process = [Diagnostics.Process]::Start($start) }
    catch { Fail "the agent does not run on this machine: $($_.Exception.GetBaseException().Message)" }
    $errors = $process.StandardError.ReadToEndAsync()
    $text = $process.StandardOutput.ReadToEnd()
    $process.WaitForExit()
    return @{ Code = $process.ExitCode; Text = "$text$($errors.Result)".Trim() }
}

function New-ClosedFolder([string] $folder) {
    New-Item -ItemType Directory -Force -Path $folder | Out-Null
    $access = New-Object Security.AccessControl.DirectorySecurity
    # Owned by the administrators; full control for SYSTEM and administrators, nothing for others.
    $access.SetSecurityDescriptorSddlForm('O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
    Set-Acl -LiteralPath $folder -AclObject $access
}

function Stop-Agent {
    if (Get-Service -Name $service -ErrorAction SilentlyContinue) { Stop-Service -Name $service -Force }
}

# A process that just ended may hold its file for a moment.
function Remove-Folder([string] $path) {
    for ($try = 1; Test-Path -LiteralPath $path; $try++) {
        try { Remove-Item -LiteralPath $path -Recurse -Force }
        catch {
            if ($try -ge 20) { Fail "$path could not be removed: $($_.Exception.Message)" }
            Start-Sleep -Milliseconds 500
        }
    }
}

function Remove-Agent([string] $folder) {
    $program = Join-Path $folder 'muster-agent.exe'
    if (Test-Path -LiteralPath $program) {
        $arguments = @('uninstall')
        if ($Purge) { $arguments += '--purge' }
        $end = Invoke-Agent $program $arguments ''
        if ($end.Code -ne 0) { Fail "the agent could not be removed: $($end.Text)" }
    }
    elseif (Get-Service -Name $service -ErrorAction SilentlyContinue) { Fail "the service $service is there, but not $program" }
    Remove-Folder $folder
    # Also when the executable is gone, which would have removed it.
    if ($Purge) { Remove-Folder $data }
    Say $(if ($Purge) { 'removed, with its identity' } else { "removed; its identity stays in $data" })
}

function Read-Key {
    if ("$env:MUSTER_ENROLLMENT_KEY" -ne '') { return $env:MUSTER_ENROLLMENT_KEY.Trim() }
    if ($enrolled -and -not $AskKey) { return '' }
    try { $typed = Read-Host -Prompt 'Enrollment key (not shown)' -AsSecureString }
    catch { Fail 'needs the enrollment key in MUSTER_ENROLLMENT_KEY, because this PowerShell cannot ask for it' }
    return (New-Object Net.NetworkCredential '', $typed).Password.Trim()
}

if ($PSVersionTable.PSVersion.Major -lt 5) { Fail 'needs PowerShell 5.1 or later' }
if ($env:OS -ne 'Windows_NT') { Fail 'this is not Windows: use install.sh' }
if ($ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {
    Fail "this PowerShell is restricted ($($ExecutionContext.SessionState.LanguageMode)): install the MSI instead"
}
if (-not (Test-Administrator)) { Fail 'run this in a PowerShell that was started as administrator' }
$programs = if ("$env:ProgramW6432" -ne '') { $env:ProgramW6432 } else { $env:ProgramFiles }
$folder = Join-Path $programs 'Muster'
$data = Join-Path $env:ProgramData 'Muster\Agent'
if ($Purge -and -not $Uninstall) { Fail '-Purge needs -Uninstall' }
if ($Uninstall) {
    Remove-Agent $folder
    return
}

[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12
$Server = $Server.TrimEnd('/')
if (-not (Test-Address $Server)) { Fail "$Server is no address of a server" }
if ($Proxy -ne '' -and -not (Test-Address $Proxy)) { Fail '-Proxy is no address of a proxy' }
$uri = New-Object Uri $Server
if ($uri.Scheme -eq 'http' -and -not $uri.IsLoopback -and -not $AllowPlaintext) {
    Fail "$Server is not encrypted: give its https: address as -Server, or add -AllowPlaintext"
}
$target = "windows-$(Get-Architecture)"
$enrolled = Test-Path -LiteralPath (Join-Path $data 'enrolment.json')
$key = Read-Key
if ($key -notmatch '^[A-Za-z0-9_.-]*$') { Fail 'the enrollment key contains characters that no key has' }
if ($key -eq '' -and -not $enrolled) { Fail 'needs the enrollment key' }

$release = Select-Release $target
$isNew = -not (Test-Path -LiteralPath $folder)
$program = Join-Path $folder 'muster-agent.exe'
$new = Join-Path $folder 'muster-agent.installing.exe'
$before = Join-Path $folder 'muster-agent.replaced.exe'
$sums = Join-Path $folder 'checksums'
$done = $false
try {
    New-ClosedFolder $folder
    New-Item -ItemType Directory -Force -Path $sums | Out-Null
    Confirm-Signature $release $target $sums
    $isThere = (Test-Path -LiteralPath $program) -and (Get-FileHash -LiteralPath $program -Algorithm SHA256).Hash -eq $release.Sha256
    if ($isThere) { Say "version $($release.Version) is there already" }
    else {
        Say "fetching version $($release.Version) for $target"
        Receive-File "$Server/api/v1/agents/download/windows/$($target.Substring(8))?version=$($release.Version)" $new
        if ((Get-FileHash -LiteralPath $new -Algorithm SHA256).Hash -ne $release.Sha256) {
            Fail 'what was fetched is not the agent: its SHA-256 is another one'
        }
        Confirm-Build $new
        $told = Invoke-Agent $new @('--version') ''
        if ($told.Code -ne 0) { Fail "the agent does not run on this machine: $($told.Text)" }
        Stop-Agent
        if (Test-Path -LiteralPath $program) { Move-Item -LiteralPath $program -Destination $before -Force }
        Move-Item -LiteralPath $new -Destination $program
    }
    $arguments = @('install', '--server', $Server)
    if ($Proxy -ne '') { $arguments += '--proxy', $Proxy }
    if ($AllowPlaintext) { $arguments += '--allow-plaintext' }
    if ($NoStart) { $arguments += '--no-start' }
    $end = Invoke-Agent $program $arguments $key
    if ($end.Code -ne 0) { Fail "the agent could not be installed: $($end.Text)" }
    $done = $true
}
finally {
    Remove-Item -LiteralPath $new, $sums -Recurse -Force -ErrorAction SilentlyContinue
    if (-not $done) {
        if (Test-Path -LiteralPath $before) {
            Remove-Item -LiteralPath $program -Force -ErrorAction SilentlyContinue
            Move-Item -LiteralPath $before -Destination $program
        }
        elseif ($isNew) { Remove-Item -LiteralPath $folder -Recurse -Force -ErrorAction SilentlyContinue }
        if (-not $NoStart) { Start-Service -Name $service -ErrorAction SilentlyContinue }
    }
    Remove-Item -LiteralPath $before -Force -ErrorAction SilentlyContinue
}
Say $(if ($NoStart) { "version $($release.Version) is installed" } else { "version $($release.Version) is installed and runs" })
