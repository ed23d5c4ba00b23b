import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCursor, sealCursor } from './cursor.ts'
import { createKeyring } from './keyring.ts'

describe('cursors', () => {
  const keyring = createKeyring()

  it('decrypt to the original position', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 4 }), (binding, position) => {
        expect(openCursor(keyring, binding, sealCursor(keyring, binding, position))).toEqual(position)
      }),
    )
  })

  it('are invalid with another binding or another key', () => {
    const cursor = sealCursor(keyring, 'devices by hostname', ['a', 'b'])
    expect(openCursor(keyring, 'devices by enrollment', cursor)).toBeNull()
    expect(openCursor(createKeyring(), 'devices by hostname', cursor)).toBeNull()
  })

  it('are invalid after a change, and no text makes decryption throw', () => {
    const cursor = sealCursor(keyring, 'x', ['position'])
    const forged = Buffer.from('["elsewhere"]').toString('base64url')
    expect(openCursor(keyring, 'x', cursor.replace(/^[^.]+/, forged))).toBeNull()
    fc.assert(fc.property(fc.string(), (text) => openCursor(keyring, 'x', text) === null))
  })
})
