# Starts or stops a Windows service, and sets how it starts.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Fail([string] $Message) {
    [Console]::Error.WriteLine("error: $Message")
    exit 1
}

$name = "$env:PARAM_SERVICE"
$state = if ($env:PARAM_STATE) { $env:PARAM_STATE } else { 'running' }
$startup = if ($env:PARAM_STARTUP) { $env:PARAM_STARTUP } else { 'unchanged' }
# Stopping one of these cuts the machine off or takes its system apart.
$kept = 'MusterAgent', 'RpcSs', 'RpcEptMapper', 'DcomLaunch', 'LSM', 'SamSs', 'EventLog', 'PlugPlay', 'Power', 'BFE', 'mpssvc'

if ($name -notmatch '\A[A-Za-z0-9_][A-Za-z0-9_.$ -]{0,255}\z') { Fail 'service must be the name of a service' }
if ($state -cnotmatch '\A(running|stopped)\z') { Fail 'state must be running or stopped' }
if ($startup -cnotmatch '\A(automatic|manual|disabled|unchanged)\z') { Fail 'startup must be automatic, manual, disabled or unchanged' }
if ($kept -contains $name -and ($state -eq 'stopped' -or $startup -eq 'disabled')) { Fail "$name must not be stopped or disabled" }

$service = Get-Service | Where-Object { $_.Name -eq $name }
if (-not $service) { Fail "there is no service $name" }

$changes = @()
try {
    $current = (Get-CimInstance -ClassName Win32_Service -Filter "Name = '$($service.Name)'").StartMode
    $modes = @{ automatic = 'Auto'; manual = 'Manual'; disabled = 'Disabled' }
    if ($startup -ne 'unchanged' -and $current -ne $modes[$startup]) {
        Set-Service -Name $service.Name -StartupType $startup
        $changes += "set to start $startup"
    }
    if ($state -eq 'running' -and $service.Status -ne 'Running') {
        Start-Service -Name $service.Name
        $service.WaitForStatus('Running', [TimeSpan]::FromSeconds(60))
        $changes += 'started'
    } elseif ($state -eq 'stopped' -and $service.Status -ne 'Stopped') {
        # Without -Force, a service that others need is not stopped.
        Stop-Service -Name $service.Name
        $service.WaitForStatus('Stopped', [TimeSpan]::FromSeconds(60))
        $changes += 'stopped'
    }
} catch {
    Fail "$name could not be changed: $($_.Exception.Message)"
}

if ($changes.Count -eq 0) {
    Write-Output "unchanged: $name is $state"
} else {
    Write-Output "changed: $name was $($changes -join ' and ')"
}
exit 0
