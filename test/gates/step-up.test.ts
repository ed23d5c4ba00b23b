// Operations whose effect outlives the session require a fresh proof of identity. They are found by their responses and
// by the tables that their examples write, so a new operation is covered automatically.

import { keys as apiKeys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { limitsOf } from '@muster/areas/access/auth/limits.ts'
import { farReach } from '@muster/areas/control/commands/commands.contract.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import type { Db } from '@muster/db/database.ts'
import { rowsWritten } from '@muster/db/rows-written.ts'
import type { Scope } from '@muster/kit/contract.ts'
import { takesProof } from '@muster/kit/schema/proof.ts'
import { call } from '@muster/testkit/call.ts'
import { signedInLongAgo, withPassword, withRecoveryCode } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { exampleOf } from './example-of.ts'
import { probe } from './probe.ts'
import { buildStage } from './stage.ts'

/** Tables with grants that remain after the session ends. */
const powerTables = [
  'api_keys',
  'enrollment_codes',
  'enrollment_keys',
  'organization_users',
  'partner_users',
  'passkeys',
  'role_permissions',
  'roles',
  'sso_identities',
  'sso_providers',
  'system_users',
  'user_invitations',
  'users',
]
const secretFields = /^(key|token|secret|code|recoveryCodes|accessToken|refreshToken|tempToken|password)$/

/** Operations whose proof an example cannot trigger, and the test that does. The list only shrinks. */
const provedElsewhere: Readonly<Record<string, string>> = {
  'devices.approvals.refuse': 'packages/areas/src/control/commands/approvals/approvals.test.ts',
}
const isProvedElsewhere = ({ id, endpoint }: Operation) =>
  id in provedElsewhere ||
  // These count how many devices the caller has reached: packages/areas/src/control/commands/bulk/bulk.test.ts.
  endpoint.stepUp === farReach

const there = await buildStage()
const { stage } = there
const services = await testServices()
const { system } = services
const limits = limitsOf(services)

type Who = Person & { readonly scope: Scope; readonly password: string }
const { partner } = stage
const callers: Who[] = [
  { scope: 'system', ...(await withPassword(there.world.systemAdmin)) },
  { scope: 'partner', ...(await withPassword(there.world.partnerAdmin)) },
  { scope: 'organization', ...(await withPassword(there.world.orgAdmin)) },
]
const { key } = await call(there.world.partnerAdmin, apiKeys.create, { name: 'Everything', scopes: ['*:*'] })
const elsewhere = await person({ scope: 'partner', partnerId: partner }, { role: 'Partner Admin' })

const inputFor = (operation: Operation, scope: Scope, kind: 'usual' | 'proves' = 'usual'): object => {
  const { input, proves } = exampleOf(operation)
  return Object.assign({}, (kind === 'proves' && proves !== undefined ? proves : input)(stage, scope))
}

/** The tables that the example changes for the first caller it succeeds for; null when it never succeeds. */
async function written(operation: Operation): Promise<Set<string> | null> {
  const services = await testServices()
  for (const who of callers) {
    let before: ReadonlyMap<string, number> = new Map()
    let after = before
    const look = async (db: Db, when: 'before' | 'after') => {
      const rows = await rowsWritten(db)
      if (when === 'before') before = rows
      else after = rows
    }
    const answer = await probe(operation, who, inputFor(operation, who.scope), { services, look })
    if (answer.status >= 400) continue
    const grown = [...after].filter(([table, rows]) => rows > (before.get(table) ?? 0))
    return new Set(grown.map(([table]) => table))
  }
  return null
}

function fieldsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsOf)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, value]) => [
    ...(name === 'properties' ? Object.keys(Object(value)) : []),
    ...fieldsOf(value),
  ])
}
/** Operations with a field of such a name that is not a secret. The list only shrinks. */
const noSecret: Readonly<Record<string, string>> = {
  'alertTemplates.templates.create': '`key` is the name of the template',
  'alertTemplates.templates.update': '`key` is the name of the template',
  'customFields.customFields.create': '`key` is the name of the field',
  'customFields.customFields.update': '`key` is the name of the field',
  'policies.policies.activate': '`key` is the name of a rule',
  'policies.policies.create': '`key` is the name of a rule',
  'policies.policies.deactivate': '`key` is the name of a rule',
  'policies.policies.replace': '`key` is the name of a rule',
  'policies.policies.update': '`key` is the name of a rule',
}
const answersSecret = ({ id, endpoint }: Operation) =>
  !(id in noSecret) &&
  fieldsOf(z.toJSONSchema(endpoint.output, { unrepresentable: 'any' })).some((name) => secretFields.test(name))

const changing = operations.filter(
  ({ endpoint }) => endpoint.access.who !== 'public' && (endpoint.kind === 'mutation' || endpoint.audit !== null),
)

describe('an operation whose effect outlives the session declares stepUp', () => {
  it.each(changing.map((operation) => ({ id: operation.id, operation })))('$id', async ({ operation }) => {
    if (operation.endpoint.stepUp !== null) return
    const tables = await written(operation)
    const power = powerTables.filter((table) => tables?.has(table))
    expect({ power, secret: answersSecret(operation) }).toEqual({ power: [], secret: false })
  })
})

const asked = (answer: { text: string }) => answer.text.includes('"confirm":"currentPassword"')
const guarded = operations.filter(({ endpoint }) => takesProof(endpoint.stepUp) && endpoint.kind === 'mutation')
const provable = guarded.filter((operation) => !isProvedElsewhere(operation))

/** The first caller for which the operation succeeds, or would succeed right after a sign-in. */
async function whoMay(operation: Operation): Promise<Who> {
  const { answers = [] } = exampleOf(operation)
  let second: Who | undefined
  for (const who of callers) {
    const { status } = await probe(operation, who, inputFor(operation, who.scope, 'proves'))
    if (status < 400) return who
    if (status !== 403 && answers.includes(status)) second ??= who
  }
  if (second === undefined) throw new Error(`${operation.id}: the example succeeds for no caller`)
  return second
}

describe('an old session must prove password and second factor, and an API key cannot', () => {
  const chosen = new Map<string, Who>()
  beforeAll(async () => {
    for (const operation of provable) chosen.set(operation.id, await whoMay(operation))
    for (const who of callers) await signedInLongAgo(who)
  }, 120_000)

  it.each(provable.map((operation) => ({ id: operation.id, operation })))('$id', async ({ operation }) => {
    const who = chosen.get(operation.id)
    if (who === undefined) throw new Error('no caller')
    const proving = inputFor(operation, who.scope, 'proves')
    const attempt = (proof: object, input = proving) => probe(operation, who, { ...input, ...proof })
    if (operation.endpoint.stepUp !== 'always') {
      expect(exampleOf(operation).proves, 'an example on which the proof is asked for').toBeDefined()
      expect(asked(await attempt({}, inputFor(operation, who.scope)))).toBe(false)
    }
    const without = await attempt({ ...('code' in proving && { code: 'AAAA-AAAA' }) })
    expect([without.status, asked(without)]).toEqual([403, true])
    const { password: currentPassword } = who
    const code = await withRecoveryCode(who)
    for (const wrong of [
      { currentPassword },
      { code },
      { currentPassword: 'wrong', code },
      { currentPassword, code: 'AAAA-AAAA' },
    ]) {
      const answer = await attempt(wrong)
      if ('currentPassword' in proving && !('currentPassword' in wrong)) continue
      expect([Object.keys(wrong), answer.status, asked(answer)]).toEqual([Object.keys(wrong), 403, true])
    }
    expect(asked(await attempt({ currentPassword, code }))).toBe(false)
    for (const limit of ['passwordPerUser', 'mfaPerUser'] as const) await limits.reset(limit, who.userId)
    const byKey = await probe(operation, null, inputFor(operation, 'partner', 'proves'), {
      headers: { 'x-api-key': key },
    })
    expect(byKey.status).toBe(403)
  })

  it('wrong proofs are audited and limited', async () => {
    const operation = guarded.find(({ id }) => id === 'apiKeys.keys.create')
    if (operation === undefined) throw new Error('no such operation')
    const who = await withPassword(elsewhere)
    await signedInLongAgo(who)
    const code = await withRecoveryCode(who)
    const attempt = (proof: object) => probe(operation, who, { ...inputFor(operation, 'partner'), ...proof })
    const wrong = { currentPassword: 'wrong', code }
    for (let count = 0; count < 5; count++) expect((await attempt(wrong)).status).toBe(403)
    expect((await attempt({ currentPassword: who.password, code })).status).toBe(429)
    const { rows } = await system.query(
      `SELECT result, details->>'at' AS at, details->>'operation' AS operation FROM audit_logs
       WHERE action = 'user.step_up.failed' AND resource_id = $1`,
      [who.userId],
    )
    expect(rows).toEqual(Array(5).fill({ result: 'failure', at: 'password', operation: operation.id }))
  })
})
