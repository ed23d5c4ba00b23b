// Every PATCH is sent twice: the second changes nothing and writes no audit record.
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { testServices } from '@muster/testkit/services.ts'
import { describe, expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { probe } from './probe.ts'
import { buildStage } from './stage.ts'

const { stage, world } = await buildStage()
const { system } = await testServices()
const people = { partner: world.partnerAdmin, organization: world.orgAdmin, system: world.systemAdmin }
const scopes = ['partner', 'organization', 'system'] as const
/** Operations whose example is rejected, so sending it twice proves nothing. The list only shrinks. */
const refusedExamples: Readonly<Record<string, string>> = {
  'notifications.notifications.update': 'the people of the stage have no notification',
  'auth.passkeys.rename': 'the people of the stage have no passkey',
  'scim.groups.patch': 'the group of the example is a role that the provider did not make',
}
const patches = operations.filter(
  ({ id, endpoint }) => endpoint.method === 'PATCH' && refusedExamples[id] === undefined,
)

async function records(): Promise<{ action: string; changedFields: string[] | null }[]> {
  const { rows } = await system.query<{ action: string; changedFields: string[] | null }>(
    `SELECT action, changed_fields AS "changedFields" FROM audit_logs
     WHERE partner_id = $1 OR actor_id = ANY ($2::uuid[]) ORDER BY at, id`,
    [stage.partner, Object.values(people).map(({ userId }) => userId)],
  )
  return rows
}

/** Sends the example as the first caller that may. @returns a function that sends the same request again */
async function senderOf(operation: Operation) {
  const refusals: string[] = []
  const provider = {
    who: null,
    scope: 'organization',
    headers: { authorization: `Bearer ${stage.scimToken}` },
  } as const
  const senders = [...scopes.map((scope) => ({ who: people[scope], scope, headers: {} })), provider]
  for (const { who, scope, headers } of senders) {
    const input = exampleOf(operation).input(stage, scope)
    const send = () => probe(operation, who, input, { headers, lasting: true })
    const { status, message } = await send()
    if (status === 200) return send
    refusals.push(`${scope}: ${status} ${message}`)
  }
  throw new Error(`no caller may send the example: ${refusals.join('; ')}`)
}

describe('a PATCH that changes nothing writes no audit record', () => {
  it.each(patches.map((operation) => ({ id: operation.id, operation })))('$id', async ({ operation }) => {
    const send = await senderOf(operation)
    const before = await records()
    expect(await send()).toMatchObject({ status: 200 })
    expect((await records()).slice(before.length)).toEqual([])
  })

  it('a PATCH that changes something writes one', async () => {
    expect((await records()).some(({ changedFields }) => (changedFields ?? []).length > 0)).toBe(true)
  })
})
