import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { closeCodes } from './close-codes.ts'
import { downMessages, encodeDown } from './down.ts'
import { encodeHeartbeat } from './heartbeat-frame.ts'
import { proofBytes } from './identity.ts'
import { encodeAck } from './messages/ack.ts'
import { orderFaults } from './messages/refusal.ts'
import { orderBytes, orderKeyId, signOrders } from './orders.ts'
import { resumptionProof } from './resumption.ts'
import { encodeUp, upMessages } from './up.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
// The hexadecimal runs of the document, without spaces, line ends and explanations between them.
const digits = readme.replaceAll(/\s/g, '')

const counting = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
const key = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), counting]),
  format: 'der',
  type: 'pkcs8',
})
const certificate = 'eyJhbGciOiJFZERTQSJ9.e30.c2ln'

test('the handshake example matches the code', () => {
  const proof = proofBytes(counting, certificate)
  const signature = sign(null, proof, key)
  expect(readme).toContain(String(createPublicKey(key).export({ format: 'jwk' }).x))
  expect(digits).toContain(Buffer.from(proof).toString('hex'))
  expect(digits).toContain(signature.toString('hex'))
  const challenge = { nonce: counting, protocols: [1], serverTime: 1_700_000_000_000 }
  expect(digits).toContain(Buffer.from(encodeDown({ name: 'challenge', sequence: 0, body: challenge })).toString('hex'))
  const hello = { protocol: 1, certificate, signature, bootId: 1, agentVersion: '1.0.0', role: 'agent' as const }
  const frame = Buffer.from(encodeUp({ name: 'hello', sequence: 0, body: hello })).toString('hex')
  const [before, after] = frame.split(signature.toString('hex'))
  expect(digits).toContain(`${before}9d0e…ed04${after}`)
})

test('the resumption example matches the code', () => {
  const secret = counting.map((byte) => byte + 32)
  const said = {
    protocol: 1,
    ticket: Buffer.from('aabbcc', 'hex'),
    bootId: 1,
    agentVersion: '1.0.0',
    role: 'agent' as const,
  }
  const proof = resumptionProof(secret, counting, said)
  const frame = encodeUp({ name: 'resume', sequence: 0, body: { ...said, proof } })
  expect(digits).toContain(`proof${proof.toString('hex')}resume`)
  expect(digits).toContain(`resume${Buffer.from(frame).toString('hex')}`)
})

test('the order example matches the code', () => {
  const device = '3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f7'
  const head = { device, run: 1, sequence: 2, issuedAt: 1_700_000_000_000, expiresAt: 1_700_000_600_000 }
  const frame = encodeDown({ name: 'cancel', sequence: 0, body: { id: device } })
  const [alone] = signOrders([{ head, frame }], key)
  const signature = Buffer.from(alone?.signature ?? []).toString('hex')
  expect(digits).toContain(`bytes${orderBytes(head, frame).toString('hex')}signature${signature}order`)
  const keyId = orderKeyId(String(createPublicKey(key).export({ format: 'jwk' }).x))
  expect(readme).toContain(`\`${keyId}\``)
  const body = { ...head, key: keyId, signature: alone?.signature ?? counting, frame }
  const order = Buffer.from(encodeDown({ name: 'order', sequence: 0, body })).toString('hex')
  expect(digits).toContain(`order${order.replace(signature, '23a3…9f09')}`)
  const both = signOrders(
    [
      { head, frame },
      { head: { ...head, sequence: 3 }, frame },
    ],
    key,
  )
  const [one, other] = both.map((proof) => Buffer.from(proof.path ?? []).toString('hex'))
  expect(digits).toContain(`shared${Buffer.from(both[0]?.signature ?? []).toString('hex')}pathof2${one}pathof3${other}`)
})

test('documents every reason to refuse an order', () => {
  for (const code of orderFaults) expect(readme).toContain(`| \`${code}\``)
})

test('the examples of a heartbeat and its acknowledgment match the code', () => {
  const frame = encodeHeartbeat(300, [12.5, 4_294_967_295, 17_179_869_184, null, null, 0.75, 3600, 1000, 2000, 321])
  const shown = /```\n(93 {2}.*?)```/s.exec(readme)?.[1] ?? ''
  const bytes = [...shown.matchAll(/^((?:[0-9a-f]{2} {1,2})+)/gm)]
    .map((line) => line[1]?.replaceAll(' ', '') ?? '')
    .join('')
  expect(bytes).toBe(Buffer.from(frame).toString('hex') + Buffer.from(encodeAck(300)).toString('hex'))
  expect(readme).toContain(`${frame.length} bytes`)
})

test('documents every message and every close code', () => {
  const rows = readme.replaceAll(/ +/g, ' ')
  for (const { type, name } of [...Object.values(upMessages), ...Object.values(downMessages)])
    expect(rows).toContain(`| ${type} | \`${name}\` |`)
  for (const { code, name } of Object.values(closeCodes)) expect(rows).toContain(`| ${code} | \`${name}\` |`)
})
