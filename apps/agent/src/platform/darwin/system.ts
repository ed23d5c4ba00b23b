import { hostname, release } from 'node:os'
import type { SystemFacts } from '../platform.ts'
import { type Mac, printed } from './mac.ts'

/** The UUID that the firmware gives to this Mac. */
export const machineSeed = async (mac: Mac): Promise<string | undefined> =>
  (await readPlatformExpert(mac)).get('IOPlatformUUID')

export async function facts(mac: Mac): Promise<SystemFacts> {
  const version = parseVersion(await printed(mac, 'sw_vers', []))
  return {
    hostname: hostname().slice(0, 255) || 'localhost',
    osType: 'macos',
    osName: version.name.slice(0, 255),
    osVersion: version.version?.slice(0, 255),
    kernelVersion: release().slice(0, 255),
    architecture: process.arch,
  }
}

/** What `sw_vers` prints, with the letter of a rapid security response: `13.4.1 (a)`. */
export function parseVersion(text: string): { name: string; version: string | undefined } {
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*\\S)`, 'm').exec(text)?.[1]
  const [version, extra] = [field('ProductVersion'), field('ProductVersionExtra')]
  return {
    name: field('ProductName') ?? 'macOS',
    version: version === undefined || extra === undefined ? version : `${version} ${extra}`,
  }
}

/** The fields of the root of the device tree: UUID, serial number and model. */
export async function readPlatformExpert(mac: Mac): Promise<Map<string, string>> {
  return parsePlatformExpert(await printed(mac, 'ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']))
}

/** Texts stand in quotes, or as data in angle brackets with quotes. */
export function parsePlatformExpert(text: string): Map<string, string> {
  const fields = [...text.matchAll(/^[\s|]*"([^"]+)" = <?"([^"]*)"[>,]?/gm)]
  return new Map(fields.map(([, name = '', value = '']) => [name, value]))
}
