import { expect, test } from 'vitest'
import { fakeMac } from '../testing/fake-mac.ts'
import { createProtectionTools } from './protection-tools.ts'

test.each([
  ['Firewall is enabled. (State = 1) ', true],
  ['Firewall is blocking all non-essential incoming connections. (State = 2) ', true],
  ['Firewall is disabled. (State = 0) ', false],
  ['Firewall is enabled.', true],
])('reads the firewall from %j', async (text, on) => {
  await using machine = await fakeMac({ socketfilterfw: [['--getglobalstate', text]] })
  expect(await createProtectionTools(machine.mac).firewall()).toEqual({
    ...{ type: 'firewall', on, product: 'Application Firewall' },
  })
})

test.each([
  ['FileVault is On.\n', 'on'],
  ['FileVault is Off.\n', 'off'],
  ['FileVault is On.\nEncryption in progress: Percent completed = 40\n', 'encrypting'],
  ['FileVault is Off.\nDecryption in progress: Percent completed = 40\n', 'decrypting'],
])('reads the encryption from %j', async (text, state) => {
  await using machine = await fakeMac({ fdesetup: [['status', text]] })
  expect(await createProtectionTools(machine.mac).encryption()).toMatchObject({ state, product: 'FileVault' })
})

test('says what it cannot find out', async () => {
  await using machine = await fakeMac({ fdesetup: [['status', 'Error: -1\n', 1]], socketfilterfw: [['*', 'Hello\n']] })
  const { firewall, encryption } = createProtectionTools(machine.mac)
  await expect(encryption()).rejects.toMatchObject({ code: 'COMMAND_FAILED' })
  await expect(firewall()).rejects.toMatchObject({ code: 'COMMAND_FAILED' })
})
