import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { closeCodes } from './close-codes.ts'
import { downMessages } from './down.ts'
import { CertificateClaims } from './identity.ts'
import * as limits from './limits.ts'
import { upMessages } from './up.ts'
import { protocolVersion, schemaHash, subprotocol, supportedProtocols } from './version.ts'

const advice = `
The messages changed. If an agent or a server of the previous release would misread or refuse what is sent now,
raise protocolVersion (and keep the old one in supportedProtocols as long as it is understood). If the change is
harmless (a new optional field, wider limits on what only the other side reads), the version stays. Then set schemaHash.
`

function describeSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })
}

function fingerprint(): string {
  const messages = [...Object.values(upMessages), ...Object.values(downMessages)].map((kind) => ({
    name: kind.name,
    type: kind.type,
    sequenced: kind.sequenced,
    bytesMax: kind.bytesMax,
    body: describeSchema(kind.body),
  }))
  const codes = Object.values(closeCodes).map(({ code, name, mayReturn }) => [code, name, mayReturn])
  const all = [protocolVersion, messages, codes, describeSchema(CertificateClaims), { ...limits }]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16)
}

test('the schema hash matches the messages', () => {
  expect(schemaHash, advice).toBe(fingerprint())
})

test('the protocol version is the newest supported one, and the subprotocol is unchanged', () => {
  expect(supportedProtocols[0]).toBe(protocolVersion)
  expect(subprotocol).toBe('muster.v1')
})

test('message types and close codes are unique', () => {
  const types = [...Object.values(upMessages), ...Object.values(downMessages)].map((kind) => kind.type)
  expect(new Set(types).size).toBe(types.length)
  const codes = Object.values(closeCodes).map((entry) => entry.code)
  expect(new Set(codes).size).toBe(codes.length)
})
