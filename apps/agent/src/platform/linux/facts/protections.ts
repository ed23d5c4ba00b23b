import { readFile } from 'node:fs/promises'
import type { EncryptionValue } from '@muster/wire/facts/facts.ts'
import { z } from 'zod'
import { ToolFailure } from '../../../tool-failure.ts'
import type { ProtectionTools } from '../../tools.ts'
import { type Mount, mountOf, readMounts } from '../inventory/mounts.ts'
import { type Host, runProgram } from '../systemd.ts'
import { firewallOf } from './firewall.ts'

interface Device {
  type?: string | null | undefined
  children?: Device[] | undefined
}
const Device: z.ZodType<Device> = z.object({
  type: z.string().nullish(),
  children: z.lazy(() => z.array(Device)).optional(),
})
const Devices = z.object({ blockdevices: z.array(Device) })

/** @param mounts what is mounted; tests give others */
export function createProtectionTools(host: Host, mounts: () => Promise<Mount[]> = readMounts): ProtectionTools {
  return {
    firewall: async () => firewallOf(host, await hasIpv6()),
    encryption: async () => encryptionOf(host, mountOf(await mounts(), '/')),
  }
}

/** Addresses of the machine itself do not count. */
async function hasIpv6(): Promise<boolean> {
  const text = await readFile('/proc/net/if_inet6', 'utf8').catch(() => '')
  return text.split('\n').some((line) => line !== '' && !line.endsWith(' lo'))
}

/** Of the volume that `/` is on. */
async function encryptionOf(host: Host, root: Mount | undefined): Promise<EncryptionValue> {
  if (root?.fileSystem === 'zfs') {
    const word = (await output(host, 'zfs', ['get', '-H', '-o', 'value', 'encryption', root.device])).trim()
    return { type: 'encryption', state: word === 'off' ? 'off' : 'on', product: 'ZFS' }
  }
  if (root === undefined || !root.device.startsWith('/dev/'))
    throw new ToolFailure('UNSUPPORTED_PLATFORM', 'the root file system of this machine is not on a disk')
  const text = await output(host, 'lsblk', ['--json', '--inverse', '--output', 'NAME,TYPE', root.device])
  const { blockdevices } = Devices.parse(JSON.parse(text))
  return isEncrypted(blockdevices)
    ? { type: 'encryption', state: 'on', product: 'dm-crypt' }
    : { type: 'encryption', state: 'off' }
}

/** Whether one of the layers that the volume lies on is encrypted. */
const isEncrypted = (devices: readonly Device[]): boolean =>
  devices.some(({ type, children = [] }) => type === 'crypt' || isEncrypted(children))

async function output(host: Host, program: string, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(host, program, args)
  if (exitCode === 0) return stdout
  throw new ToolFailure(
    'COMMAND_FAILED',
    (stderr.trim() || `${program} ended with exit code ${exitCode}`).slice(0, 400),
  )
}
