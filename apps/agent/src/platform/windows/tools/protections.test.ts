// Firewall and encryption as the registry, the services and the shell of Windows tell about them.
import { beforeEach, expect, test, vi } from 'vitest'
import { ToolFailure } from '../../../tool-failure.ts'
import { createProtectionTools } from './protection-tools.ts'

interface Machine {
  /** EnableFirewall by the end of its key. */
  settings: Record<string, number>
  service: string
  protection: number | undefined
}
const machine = vi.hoisted((): Machine => ({ settings: {}, service: 'running', protection: 1 }))

vi.mock('../thread/native-thread.ts', () => ({
  async native(call: string, [place]: [{ path: string }]) {
    if (call === 'serviceState') return machine.service
    if (call === 'protectionOf') return machine.protection
    const key = Object.keys(machine.settings).find((end) => place.path.endsWith(end))
    if (key === undefined) throw new ToolFailure('NOT_FOUND', `Registry key ${place.path} not found`)
    return { name: 'EnableFirewall', type: 'REG_DWORD', data: machine.settings[key] }
  },
}))

const own = (domain: number, home: number, open: number) => ({
  'FirewallPolicy\\DomainProfile': domain,
  'FirewallPolicy\\StandardProfile': home,
  'FirewallPolicy\\PublicProfile': open,
})
beforeEach(() => {
  Object.assign(machine, { settings: own(1, 1, 1), service: 'running', protection: 1 })
})

const { firewall, encryption } = createProtectionTools()

test('the firewall is on when it is for all networks', async () => {
  expect(await firewall()).toMatchObject({ on: true, product: 'Windows Defender Firewall' })
  machine.settings = own(1, 0, 0)
  expect(await firewall()).toMatchObject({ on: false, detail: 'off for private, public networks' })
})

test('a group policy precedes the own setting of the machine', async () => {
  machine.settings = { 'WindowsFirewall\\PublicProfile': 0, ...own(1, 1, 1) }
  expect(await firewall()).toMatchObject({ on: false, detail: 'off for public networks' })
  machine.settings = { 'WindowsFirewall\\PublicProfile': 1, ...own(1, 1, 0) }
  expect(await firewall()).toMatchObject({ on: true })
})

test('the firewall is off without its service', async () => {
  machine.service = 'stopped'
  expect(await firewall()).toMatchObject({ on: false, detail: 'its service is stopped' })
})

test('a system without settings of a firewall says so', async () => {
  machine.settings = {}
  await expect(firewall()).rejects.toMatchObject({ code: 'UNSUPPORTED_PLATFORM' })
})

test('the encryption is that of BitLocker, where the shell tells about it', async () => {
  expect(await encryption()).toEqual({ type: 'encryption', state: 'on', product: 'BitLocker' })
  machine.protection = undefined
  await expect(encryption()).rejects.toMatchObject({ code: 'UNSUPPORTED_PLATFORM' })
})
