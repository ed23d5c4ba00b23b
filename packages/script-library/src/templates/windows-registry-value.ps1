# Sets one value of the registry below HKEY_LOCAL_MACHINE.
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

$key = {{key}}
$name = {{name}}
$kind = {{kind}}
$value = {{value}}

$path = "Registry::HKEY_LOCAL_MACHINE\$key"
try {
    if ($kind -eq 'DWord') { $wanted = [int] $value } else { $wanted = $value }
    if (-not (Test-Path -LiteralPath $path)) { [void] (New-Item -Path $path -Force) }
    if ((Get-Item -LiteralPath $path).GetValue($name, $null) -ceq $wanted) {
        Write-Output "unchanged: $name is set"
        exit 0
    }
    [void] (New-ItemProperty -LiteralPath $path -Name $name -PropertyType $kind -Value $wanted -Force)
} catch {
    [Console]::Error.WriteLine("error: $name could not be set: $($_.Exception.Message)")
    exit 1
}
Write-Output "changed: $name is set"
exit 0
