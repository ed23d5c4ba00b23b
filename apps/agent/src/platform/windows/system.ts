import { hostname, release } from 'node:os'
import type { SystemFacts } from '../platform.ts'
import { getValue, machineText } from './calls/registry.ts'

const currentVersion = 'SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'
/** The first build of Windows 11, which still calls itself Windows 10 in the registry. */
const windows11Build = 22_000

/** Written by the setup of Windows; the same until it is installed again. */
export const machineSeed = async (): Promise<string | undefined> =>
  machineText('SOFTWARE\\Microsoft\\Cryptography', 'MachineGuid')

export async function facts(): Promise<SystemFacts> {
  const build = machineText(currentVersion, 'CurrentBuildNumber') ?? ''
  return {
    hostname: hostname().slice(0, 255) || 'localhost',
    osType: 'windows',
    osName: productName(machineText(currentVersion, 'ProductName') ?? 'Windows', Number(build)).slice(0, 255),
    osVersion: versionText(release(), revision()).slice(0, 255),
    kernelVersion: release().slice(0, 255),
    architecture: process.arch,
  }
}

function productName(name: string, build: number): string {
  return build >= windows11Build ? name.replace(/^Windows 10\b/, 'Windows 11') : name
}

/** The version with the number of its last cumulative update, such as 10.0.22631.2861. */
const versionText = (version: string, updates: number | undefined): string =>
  updates === undefined ? version : `${version}.${updates}`

function revision(): number | undefined {
  try {
    const { data } = getValue({ hive: 'HKEY_LOCAL_MACHINE', path: currentVersion, view: '64' }, 'UBR')
    return typeof data === 'number' ? data : undefined
  } catch {
    return undefined
  }
}
