# Enables or disables one scheduled task.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

$folder = {{folder}}
$name = {{name}}
$enabled = {{enabled}}

try {
    $task = @(Get-ScheduledTask -TaskPath $folder | Where-Object { $_.TaskName -eq $name })
    if ($task.Count -ne 1) { throw 'there is no such task' }
    $isEnabled = $task[0].Settings.Enabled
    if ($isEnabled -eq $enabled) {
        Write-Output "unchanged: $name is as it should be"
        exit 0
    }
    if ($enabled) { [void] ($task[0] | Enable-ScheduledTask) } else { [void] ($task[0] | Disable-ScheduledTask) }
} catch {
    [Console]::Error.WriteLine("error: ${name}: $($_.Exception.Message)")
    exit 1
}
Write-Output "changed: $name is as it should be"
exit 0
