import type { FirewallValue } from '@muster/wire/facts/facts.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import type { ProtectionTools } from '../../tools.ts'
import { systemDrive } from '../environment.ts'
import { encryptionOf } from '../inventory/encryption-words.ts'
import { native } from '../thread/native-thread.ts'

const local = 'SYSTEM\\CurrentControlSet\\Services\\SharedAccess\\Parameters\\FirewallPolicy'
const policy = 'SOFTWARE\\Policies\\Microsoft\\WindowsFirewall'
/** Keys of the profiles, and the names that Windows shows. */
const profiles = [
  ['DomainProfile', 'domain'],
  ['StandardProfile', 'private'],
  ['PublicProfile', 'public'],
] as const
const service = 'mpssvc'

export function createProtectionTools(): ProtectionTools {
  return {
    firewall: firewallOf,
    async encryption() {
      const state = encryptionOf(await native('protectionOf', [`${systemDrive()}\\`]))
      if (state === undefined)
        throw new ToolFailure('UNSUPPORTED_PLATFORM', 'this Windows does not tell about BitLocker')
      return { type: 'encryption', state, product: 'BitLocker' }
    },
  }
}

/** On when it is for all networks, and its service runs. A group policy precedes the machine's own setting. */
async function firewallOf(): Promise<FirewallValue> {
  const off: string[] = []
  for (const [key, name] of profiles) {
    const isOn = (await enabledIn(`${policy}\\${key}`)) ?? (await enabledIn(`${local}\\${key}`))
    if (isOn === undefined) throw new ToolFailure('UNSUPPORTED_PLATFORM', 'this Windows has no settings of a firewall')
    if (!isOn) off.push(name)
  }
  const product = 'Windows Defender Firewall'
  if (off.length > 0) return { type: 'firewall', on: false, product, detail: `off for ${off.join(', ')} networks` }
  const state = await native('serviceState', [service])
  if (state === 'running') return { type: 'firewall', on: true, product }
  return { type: 'firewall', on: false, product, detail: `its service is ${state}` }
}

async function enabledIn(path: string): Promise<boolean | undefined> {
  try {
    const place = { hive: 'HKEY_LOCAL_MACHINE', path, view: '64' } as const
    const { data } = await native('getValue', [place, 'EnableFirewall'])
    return typeof data === 'number' ? data !== 0 : undefined
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
