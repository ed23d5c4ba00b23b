import { describe, expect, it } from 'vitest'
import { createKeyring } from './keyring.ts'
import { isSealedWithNewest, seal, unseal } from './sealed.ts'

describe('sealed secrets', () => {
  const keyring = createKeyring()

  it('opens in its own context only', () => {
    const sealed = seal(keyring, 'secrét', 'totp:1')
    expect(unseal(keyring, sealed, 'totp:1')).toBe('secrét')
    expect(() => unseal(keyring, sealed, 'totp:2')).toThrow()
  })

  it('never looks the same twice', () => {
    expect(seal(keyring, 'x', 'c')).not.toBe(seal(keyring, 'x', 'c'))
  })

  it('refuses every altered byte', () => {
    const sealed = seal(keyring, 'secret', 'c')
    for (let at = sealed.indexOf('.') + 1; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'Q' : 'A'
      expect(() => unseal(keyring, sealed.slice(0, at) + other + sealed.slice(at + 1), 'c')).toThrow()
    }
  })

  it('opens with an older key of the ring and says that it is older', () => {
    const sealed = seal(keyring, 'secret', 'c')
    const rotated = { ...keyring, encryption: [...createKeyring().encryption, ...keyring.encryption] }
    expect(unseal(rotated, sealed, 'c')).toBe('secret')
    expect(isSealedWithNewest(keyring, sealed)).toBe(true)
    expect(isSealedWithNewest(rotated, sealed)).toBe(false)
    expect(() => unseal(createKeyring(), sealed, 'c')).toThrow('not in the keyring')
  })
})
