// Every name that a mutation accepts is one line with a visible character. The fields are found in the declarations.
import { operations } from '@muster/areas/registry.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { exampleOf } from './example-of.ts'
import { probe } from './probe.ts'
import { buildStage } from './stage.ts'

const { stage, world } = await buildStage()
const people = { partner: world.partnerAdmin, organization: world.orgAdmin, system: world.systemAdmin }
const refused = { 'a lone zero-width space': '\u200b', 'a line break': 'one\r\ntwo', 'a bell': 'ring\u0007' }

const Properties = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) })
const namesIn = (input: z.ZodType) =>
  Object.entries(Properties.parse(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).properties)
    .filter(([name, schema]) => /(^|[a-z])name$|^label$/i.test(name) && JSON.stringify(schema).includes('"string"'))
    .map(([name]) => name)
/** Names from outside: operating systems, identity providers and registries of machines. */
const foreign = /\.(osName|userName)$|^systemTools\./

const fields = operations
  .filter(({ endpoint }) => endpoint.kind === 'mutation')
  .flatMap((operation) =>
    namesIn(operation.endpoint.input)
      .filter((field) => !foreign.test(`${operation.id}.${field}`))
      .map((field) => ({ id: operation.id, field, operation })),
  )

describe('a name', () => {
  it('is a field of many operations', () => {
    expect(fields.length).toBeGreaterThan(20)
  })

  it.each(fields)('$field of $id needs a visible character and holds no control character', async (one) => {
    const { operation, field } = one
    const scope = operation.endpoint.access.scopes.find((each) => each !== 'system') ?? 'system'
    for (const [what, value] of Object.entries(refused)) {
      const input = Object.assign({}, exampleOf(operation).input(stage, scope), { [field]: value })
      const { status, code, message } = await probe(operation, people[scope], input)
      expect({ what, status, code }).toEqual({ what, status: 400, code: 'VALIDATION_ERROR' })
      expect(message).toContain(field)
    }
  })
})
