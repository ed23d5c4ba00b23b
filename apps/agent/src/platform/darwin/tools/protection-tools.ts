import type { FirewallValue } from '@muster/wire/facts/facts.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import type { ProtectionTools } from '../../tools.ts'
import { type Mac, required } from '../mac.ts'

export function createProtectionTools(mac: Mac): ProtectionTools {
  return {
    firewall: async () => firewallOf(await required(mac, 'socketfilterfw', ['--getglobalstate'])),
    async encryption() {
      const text = await required(mac, 'fdesetup', ['status'])
      const product = 'FileVault'
      if (/Encryption in progress/.test(text)) return { type: 'encryption', state: 'encrypting', product }
      if (/Decryption in progress/.test(text)) return { type: 'encryption', state: 'decrypting', product }
      const [, word] = /FileVault is (On|Off)/.exec(text) ?? []
      if (word === undefined) throw new ToolFailure('COMMAND_FAILED', 'fdesetup does not tell whether FileVault is on')
      return { type: 'encryption', state: word === 'On' ? 'on' : 'off', product }
    },
  }
}

/** `Firewall is enabled. (State = 1)`; state 2 blocks all incoming connections. */
function firewallOf(text: string): FirewallValue {
  const [, state] = /State = (\d)/.exec(text) ?? []
  const word = /\b(enabled|disabled)\b/.exec(text)?.[1]
  if (state === undefined && word === undefined)
    throw new ToolFailure('COMMAND_FAILED', 'socketfilterfw does not tell whether the firewall is on')
  const on = state === undefined ? word === 'enabled' : state !== '0'
  return { type: 'firewall', on, product: 'Application Firewall' }
}
