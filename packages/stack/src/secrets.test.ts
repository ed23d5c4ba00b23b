import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { readGrantKeyring } from '@muster/kit/secrets/grant-keyring.ts'
import { deviceKeyring, readDeviceKeyring, readKeyring, rotateKeyring } from '@muster/kit/secrets/keyring.ts'
import { expect, test } from 'vitest'
import { openSecrets } from './secrets.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

test('adds keys for tickets and signed orders to an older data folder once, and keeps all others', async () => {
  const path = await makeTemporaryFolder()
  try {
    const { keysFile, deviceKeysFile } = await openSecrets(path)
    const { tickets: _, orders: _orders, orderStatements: _statements, ...before } = readKeyring(keysFile)
    await writeFile(keysFile, JSON.stringify(before))
    await writeFile(deviceKeysFile, JSON.stringify(deviceKeyring(before)))
    await openSecrets(path)
    const after = readKeyring(keysFile)
    const one = [expect.anything()]
    expect(after).toEqual({ ...before, tickets: one, orders: one, orderStatements: one })
    expect(readDeviceKeyring(deviceKeysFile)).toEqual(deviceKeyring(after))
    expect((await stat(deviceKeysFile)).mode & 0o777).toBe(0o600)
    const rotated = rotateKeyring(after, 'tickets')
    expect(rotated.tickets).toEqual([expect.anything(), ...(after.tickets ?? [])])
    await openSecrets(path)
    expect(readKeyring(keysFile)).toEqual(after)
  } finally {
    await rm(path, { recursive: true })
  }
})

test('creates the keys of grants once, in a file that the other key files do not repeat', async () => {
  const path = await makeTemporaryFolder()
  try {
    const { grantKeysFile, keysFile, deviceKeysFile } = await openSecrets(path)
    const created = readGrantKeyring(grantKeysFile)
    expect((await stat(grantKeysFile)).mode & 0o777).toBe(0o600)
    await openSecrets(path)
    expect(readGrantKeyring(grantKeysFile)).toEqual(created)
    const others = `${await readFile(keysFile, 'utf8')}${await readFile(deviceKeysFile, 'utf8')}`
    for (const { d } of created.grants) expect(others).not.toContain(d)
  } finally {
    await rm(path, { recursive: true })
  }
})

test('stops the start with a message when a key file cannot be read', async () => {
  const path = await makeTemporaryFolder()
  try {
    const { deviceKeysFile } = await openSecrets(path)
    await writeFile(deviceKeysFile, (await readFile(deviceKeysFile, 'utf8')).slice(1))
    await expect(openSecrets(path)).rejects.toThrow(/damaged: .*device-keys.json cannot be read/)
  } finally {
    await rm(path, { recursive: true })
  }
})
