import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { proofBytes } from './identity.ts'

test('covers the prefix, the nonce and the hash of the certificate, in that order', () => {
  const nonce = Buffer.alloc(32, 1)
  const proof = Buffer.from(proofBytes(nonce, 'a.b.c'))
  expect(proof.subarray(0, 16).toString()).toBe('muster-agent-v1\0')
  expect(proof.subarray(16, 48)).toEqual(nonce)
  expect(proof.subarray(48).toString('hex')).toBe(createHash('sha256').update('a.b.c').digest('hex'))
})

test('rejects a signature for another nonce or certificate', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signature = sign(null, proofBytes(Buffer.alloc(32, 1), 'a.b.c'), privateKey)
  expect(verify(null, proofBytes(Buffer.alloc(32, 1), 'a.b.c'), publicKey, signature)).toBe(true)
  expect(verify(null, proofBytes(Buffer.alloc(32, 2), 'a.b.c'), publicKey, signature)).toBe(false)
  expect(verify(null, proofBytes(Buffer.alloc(32, 1), 'a.b.d'), publicKey, signature)).toBe(false)
})
