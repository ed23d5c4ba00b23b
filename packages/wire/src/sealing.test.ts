import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SealingKey, sealingKeyIn, sealValues } from './sealing.ts'

const identity = generateKeyPairSync('ed25519')
const deviceId = randomUUID()
const commandId = randomUUID()
const key = new SealingKey()
const statement = key.statement(deviceId, identity.privateKey)
const stated = () => sealingKeyIn(statement, deviceId, identity.publicKey) ?? new Uint8Array()
const values = { TOKEN: 'größer "than"\nlife', EMPTY: '' }

test('values open with the key that was stated, for their command', () => {
  const sealed = sealValues(values, commandId, stated())
  expect(key.fits(sealed)).toBe(true)
  expect(key.open(sealed, commandId)).toEqual(values)
})

test('the same values are sealed differently each time', () => {
  expect(sealValues(values, commandId, stated())).not.toEqual(sealValues(values, commandId, stated()))
})

test('values do not open for another command', () => {
  expect(() => key.open(sealValues(values, commandId, stated()), randomUUID())).toThrow()
})

test('values with one other bit do not open', () => {
  const sealed = sealValues(values, commandId, stated())
  for (let at = 32; at < sealed.length; at++) {
    const altered = Buffer.from(sealed)
    altered[at] = (altered[at] ?? 0) ^ 1
    // The highest bit of a public key means nothing, and is not the one that was changed here.
    expect(() => key.open(altered, commandId), `byte ${at}`).toThrow()
  }
})

test('values for the process before are recognized', () => {
  const sealed = sealValues(values, commandId, stated())
  expect(new SealingKey().fits(sealed)).toBe(false)
  expect(key.fits(undefined)).toBe(false)
})

describe('a statement', () => {
  test('has the form that hello allows', () => {
    expect(statement).toMatch(/^[\w-]{128}$/)
  })

  test('of another device or identity counts for nothing', () => {
    expect(sealingKeyIn(statement, randomUUID(), identity.publicKey)).toBeUndefined()
    expect(sealingKeyIn(statement, deviceId, generateKeyPairSync('ed25519').publicKey)).toBeUndefined()
  })

  test('in which a gateway replaced the key counts for nothing', () => {
    const other = new SealingKey().statement(deviceId, generateKeyPairSync('ed25519').privateKey)
    const mixed = Buffer.concat([
      Buffer.from(other, 'base64url').subarray(0, 32),
      Buffer.from(statement, 'base64url').subarray(32),
    ])
    expect(sealingKeyIn(mixed.toString('base64url'), deviceId, identity.publicKey)).toBeUndefined()
  })
})
