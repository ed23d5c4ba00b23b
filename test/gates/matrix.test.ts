// Case D5: every caller tries every operation. The expected answer follows from the declaration and the example of the
// operation. Nothing is listed by hand, and an operation without an example does not compile.

import type { Example, Subject } from '@muster/areas/examples.ts'
import { agents } from '@muster/areas/fleet/enrollment/agents.contract.ts'
import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { call } from '@muster/testkit/call.ts'
import { machine } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { levels } from '@muster/testkit/stage.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { probesOf } from './budget.ts'
import { type GateCaller, gateCallers } from './callers.ts'
import { exampleOf } from './example-of.ts'
import { type Answer, probe } from './probe.ts'
import { buildStage } from './stage.ts'

const there = await buildStage()
const { system } = await testServices()
const { key } = await call(there.world.partnerAdmin, keys.create, {
  orgId: there.stage.org,
  name: 'For an agent',
  maxUsage: null,
})
const { certificate } = await call(null, agents.enroll, { enrollmentKey: key, ...machine() })
const callers = await gateCallers(there, certificate)

/** The status that the declaration demands before the handler runs; null when the caller is allowed to call it. */
function rejectedBeforeHandler({ endpoint: { access } }: Operation, who: GateCaller): number | null {
  if (access.who === 'public') return null
  if (who.shutOut === 'no credential' || who.shutOut === 'bad credential') return 401
  if (who.shutOut === 'unproven' && !access.beforeVerified) return 403
  if (who.shutOut === 'inactive partner' && !access.beforeActive) return 403
  if (who.shutOut === 'mfa owed' && !access.beforeMfa) return 428
  if (who.isKey && !access.kinds.includes('api-key')) return 403
  if (!access.scopes.includes(who.scope)) return 403
  return access.permission !== null && who.permissions === 'none' ? 403 : null
}

const reaches = (who: GateCaller, subject: Subject, { reach = {} }: Example<unknown>): boolean => {
  const exception = Object.entries(reach).find(([name]) => name === who.name)
  return exception?.[1] ?? (subject === 'own' || (subject !== 'foreign' && who.reaches.includes(subject)))
}

type Wrong = string | null

function wrongAnswer(operation: Operation, who: GateCaller, answer: Answer): Wrong {
  const { endpoint } = operation
  const example = exampleOf(operation)
  if (answer.failure !== null) return `failed: ${answer.failure}`
  const expected = rejectedBeforeHandler(operation, who)
  if (expected !== null) return answer.status === expected ? null : `answered ${answer.status}, not ${expected}`
  // Public operations have no caller, so no subject is in reach.
  if (endpoint.access.who === 'public') return right(answer, example)
  if (example.wholePartnerOnly === true && !who.reachesWholePartner) {
    return answer.status === 403 ? null : `answered ${answer.status} to a caller that reaches only a part of its tenant`
  }
  const refused = Object.entries(example.refuses ?? {}).find(([name]) => name === who.name)?.[1]
  if (refused !== undefined) return answer.status === refused ? null : `answered ${answer.status}, not ${refused}`
  const inReach = reaches(who, example.subject, example)
  if (!inReach && example.lists !== true) {
    const hidden = endpoint.hiddenAs
    return answer.status === hidden ? null : `answered ${answer.status}, not ${hidden}: ${answer.message}`
  }
  return right(answer, example) ?? (who.permissions === 'none' ? null : shown(operation, who, answer, inReach))
}

const right = ({ status, message }: Answer, { answers = [] }: Example<unknown>): Wrong =>
  status < 400 || answers.includes(status) ? null : `answered ${status}: ${message}`

/** A read shows its subject only to callers that reach it. */
function shown(operation: Operation, who: GateCaller, { text, status }: Answer, inReach: boolean): Wrong {
  const { subject, hidesSubject } = exampleOf(operation)
  const { kind } = operation.endpoint
  if (subject === 'own' || subject === 'foreign' || status >= 400) return null
  const isShown = text.includes(there.marks[subject])
  if (!inReach && isShown) return `shows its ${subject}`
  const isRead = hidesSubject !== true && (kind === 'query' || kind === 'raw')
  return inReach && isRead && !isShown && who.reaches.includes(subject) ? `does not show its ${subject}` : null
}

/** No answer contains data of a level that the caller does not reach. */
function leak(who: GateCaller, { text }: Answer): Wrong {
  const hidden = levels.filter((level) => !who.reaches.includes(level))
  const found = hidden.filter((level) => text.includes(there.marks[level]))
  return found.length === 0 ? null : `leaks its ${found.join(', ')}`
}

/** Lists of the whole installation also contain rows of parallel tests, so they are filtered to this stage. */
function narrowed(operation: Operation, who: GateCaller): { partnerId?: string; orgId?: string } {
  const { subject, lists } = exampleOf(operation)
  if (who.scope !== 'system' || lists !== true) return {}
  const { input } = operation.endpoint
  const shape = input instanceof z.ZodObject ? input.shape : {}
  if ('partnerId' in shape) return { partnerId: there.stage.partner }
  return 'orgId' in shape && subject !== 'partner' && subject !== 'own' ? { orgId: there.stage.org } : {}
}

async function auditCount(): Promise<number> {
  const { rows } = await system.query<{ count: number }>(
    'SELECT count(*) AS count FROM audit_logs WHERE partner_id = $1',
    [there.stage.partner],
  )
  return rows[0]?.count ?? 0
}

/** Callers that try every operation: one of each scope and reach, and one for each reason to be rejected. */
const core = new Set([
  'system',
  'partner',
  'selectedOther',
  'orgAdmin',
  'otherSiteMember',
  'otherGroupMember',
  'otherOrgAdmin',
  'admin of another partner',
  'foreignOrgAdmin',
  'without permissions',
  'without credential',
  'owing a second factor',
  'of a suspended partner',
  'key of another partner',
  'device with its certificate',
])
const callersFor = (operation: Operation) =>
  probesOf(operation, callers, { budget: 5_000, isCore: ({ name }) => core.has(name) })

describe.each(operations.map((operation) => ({ id: operation.id, operation })))('$id', ({ operation }) => {
  it('answers every caller as its declaration says, and leaks nothing', async () => {
    const before = await auditCount()
    const wrong: string[] = []
    for (const who of callersFor(operation)) {
      const input = Object.assign({}, exampleOf(operation).input(there.stage, who.scope), narrowed(operation, who))
      const as = who.token === null ? null : { token: who.token }
      const answer = await probe(operation, as, input, { headers: who.headers })
      const found = wrongAnswer(operation, who, answer) ?? leak(who, answer)
      if (found !== null) wrong.push(`${who.name}: ${found}`)
    }
    expect(wrong).toEqual([])
    expect(await auditCount()).toBe(before)
  })
})
