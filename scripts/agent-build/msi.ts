// The installer for Windows: made by wixl and msibuild (Debian packages wixl and msitools), which run on Linux.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { windowsVersion } from './windows-resources.ts'

/** Never change: by it Windows knows which product an MSI upgrades. */
const upgradeCode = '6E0F7E0C-4C0B-4B1A-9B52-5C1B5E7B3B11'
const component = '0C9E33D6-4E0D-4E0B-8D2B-8A1B1F1B7C55'
const secrets = ['KEY', 'CODE', 'PROXY', 'InstallService']
const secure = ['SERVER', 'KEY', 'CODE', 'PROXY', 'PURGE', 'WIX_DOWNGRADE_DETECTED', 'WIX_UPGRADE_DETECTED']
const installs = 'NOT REMOVE~=&quot;ALL&quot;'
const removes = 'REMOVE~=&quot;ALL&quot; AND NOT UPGRADINGPRODUCTCODE'
const command =
  'install --server &quot;[SERVER]&quot; --proxy &quot;[PROXY]&quot; --enrollment-key &quot;[KEY][CODE]&quot;'
const actionTypes = {
  executable: 18,
  property: 51,
  ignoreResult: 0x40,
  rollback: 0x100,
  deferred: 0x400,
  asSystem: 0x800,
  hidden: 0x2000,
}

const source = (version: string) => `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Product Id="*" Name="Muster Agent" UpgradeCode="${upgradeCode}" Language="1033" Codepage="1252" Version="${version}" Manufacturer="Muster">
    <Package InstallerVersion="500" Compressed="yes" InstallScope="perMachine" Description="Muster Agent ${version}"/>
    <Media Id="1" Cabinet="agent.cab" EmbedCab="yes"/>
    <Property Id="ARPNOMODIFY" Value="1"/>
    <Property Id="MSIRESTARTMANAGERCONTROL" Value="Disable"/>
    <Property Id="MsiHiddenProperties" Value="${secrets.join(';')}"/>
    <MajorUpgrade DowngradeErrorMessage="A newer version of the Muster agent is installed."/>
    <Directory Id="TARGETDIR" Name="SourceDir">
      <Directory Id="ProgramFiles64Folder">
        <Directory Id="INSTALLFOLDER" Name="Muster">
          <Component Id="Agent" Guid="${component}" Win64="yes">
            <File Id="Executable" Source="muster-agent.exe" Name="muster-agent.exe" KeyPath="yes"/>
            <ServiceControl Id="Service" Name="MusterAgent" Stop="both" Wait="yes"/>
          </Component>
        </Directory>
      </Directory>
    </Directory>
    <Feature Id="Agent" Level="1"><ComponentRef Id="Agent"/></Feature>
    <CustomAction Id="SetInstallService" Property="InstallService" Value="${command}" HideTarget="yes"/>
    <CustomAction Id="InstallService" FileKey="Executable" ExeCommand="[CustomActionData]" Execute="deferred" Impersonate="no"/>
    <CustomAction Id="UndoService" FileKey="Executable" ExeCommand="uninstall" Execute="rollback" Impersonate="no" Return="ignore"/>
    <CustomAction Id="RemoveService" FileKey="Executable" ExeCommand="uninstall" Execute="deferred" Impersonate="no" Return="ignore"/>
    <CustomAction Id="PurgeService" FileKey="Executable" ExeCommand="uninstall --purge" Execute="deferred" Impersonate="no" Return="ignore"/>
    <InstallExecuteSequence>
      <Custom Action="SetInstallService" Before="InstallInitialize">${installs}</Custom>
      <Custom Action="UndoService" After="StartServices">NOT Installed AND NOT WIX_UPGRADE_DETECTED</Custom>
      <Custom Action="InstallService" After="UndoService">${installs}</Custom>
      <Custom Action="RemoveService" After="StopServices">${removes} AND NOT PURGE</Custom>
      <Custom Action="PurgeService" After="RemoveService">${removes} AND PURGE</Custom>
    </InstallExecuteSequence>
  </Product>
</Wix>
`

const { executable, property, ignoreResult, rollback, deferred, asSystem, hidden } = actionTypes
const changeAction = (action: string, type: number) =>
  `UPDATE CustomAction SET Type = ${type} WHERE Action = '${action}'`
/** The previous version goes first, within the same transaction; the service goes before its files, and comes after them. */
const sequence = {
  SetInstallService: 1410,
  RemoveExistingProducts: 1501,
  RemoveService: 1910,
  PurgeService: 1911,
  UndoService: 5910,
  InstallService: 5920,
}
/** What wixl cannot express. */
const changes = (version: string) => [
  // Without its command line in the log.
  changeAction('SetInstallService', property | hidden),
  changeAction('InstallService', executable | deferred | asSystem | hidden),
  changeAction('UndoService', executable | rollback | deferred | asSystem | ignoreResult),
  `UPDATE Property SET Value = '${secure.join(';')}' WHERE Property = 'SecureCustomProperties'`,
  // A repair leaves a newer version, which the agent has fetched itself.
  `UPDATE File SET Version = '${version}', Language = '1033' WHERE File = 'Executable'`,
  ...Object.entries(sequence).map(
    ([action, at]) => `UPDATE InstallExecuteSequence SET Sequence = ${at} WHERE Action = '${action}'`,
  ),
  "INSERT INTO LaunchCondition (Condition, Description) VALUES ('Installed OR SERVER OR WIX_UPGRADE_DETECTED', " +
    "'Give the address of the server: msiexec /i muster-agent.msi SERVER=https://muster.example.com KEY=...')",
  // The folder itself, once it is empty.
  "INSERT INTO RemoveFile (FileKey, Component_, DirProperty, InstallMode) VALUES ('Folder', 'Agent', 'INSTALLFOLDER', 2)",
]

/** Packs an executable as an MSI. The version must not be a candidate: an MSI knows three numbers. */
export async function buildMsi(
  executable: string,
  to: string,
  release: { arch: string; version: string },
): Promise<void> {
  const { arch, version } = release
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (!/^\d+\.\d+\.\d+$/.test(version) || major > 255 || minor > 255 || patch > 65_535)
    throw new Error(`${version} cannot be the version of an MSI, which is at most 255.255.65535`)
  const folder = await mkdtemp(join(dirname(to), 'msi-'))
  try {
    await copyFile(executable, join(folder, 'muster-agent.exe'))
    await writeFile(join(folder, 'agent.wxs'), source(version))
    // It finds the executable beside the definition only by a relative name.
    const tool = (name: string, ...args: string[]) => promisify(execFile)(name, args, { cwd: folder })
    await tool('wixl', '--arch', 'x64', '--output', 'agent.msi', 'agent.wxs')
    const queries = changes(windowsVersion(version).join('.')).flatMap((query) => ['-q', query])
    await tool('msibuild', 'agent.msi', ...queries)
    // wixl does not know arm64.
    const template = arch === 'arm64' ? 'Arm64;1033' : 'x64;1033'
    const packageId = `{${randomUUID().toUpperCase()}}`
    await tool('msibuild', 'agent.msi', '-s', `Muster Agent ${version}`, 'Muster', template, packageId)
    await rename(join(folder, 'agent.msi'), to)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
