// No caller can extend its own reach. Callers with limits run every mutation of the registry with its example and with
// variations of it. Afterward they reach no more than before, and no grant changed that allows more than their own.
import { authenticate } from '@muster/areas/access/auth/sessions/authenticate.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import { isPermission } from '@muster/areas/vocabulary.contract.ts'
import { asCaller, asSystem } from '@muster/db/database.ts'
import { type Caller, hasPermission } from '@muster/kit/access.ts'
import { AppError } from '@muster/kit/errors.ts'
import { run } from '@muster/kit/operation/run.ts'
import { requestAs } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { describe, expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { anyAddress, withoutTrace } from './probe.ts'
import { type LimitedCaller, limitedCallers } from './reach-callers.ts'
import { wideningInputs } from './reach-inputs.ts'
import { changedGrants, hasChanged, idsOf, type Measure, measure } from './reach-measure.ts'
import { buildStage } from './stage.ts'

const services = await testServices()
const there = await buildStage()
const callers = await limitedCallers(there)
const existing = await asSystem(services.system, (db) => idsOf(db, there.stage.partner))
const reply = { header() {}, cookie() {} }

/** The operations with which signed-in callers change data. */
const mutations = operations.filter(({ endpoint: { audit, kind, access } }) => {
  const changes = kind === 'mutation' || audit !== null
  return changes && access.who !== 'public'
})

function grown(before: Measure, after: Measure, { isLesser, who }: LimitedCaller, caller: Caller): string[] {
  const found: string[] = []
  for (const id of after.reached) if (existing.has(id) && !before.reached.has(id)) found.push(`reaches ${id}`)
  for (const permission of after.caller?.permissions ?? [])
    if (!hasPermission(caller, permission)) found.push(`may ${permission}`)
  for (const { kind, id, allows } of changedGrants(before.grants, after.grants, who.userId)) {
    const beyond = allows.filter((permission) => !isPermission(permission) || !hasPermission(caller, permission))
    const mayChange = isLesser || (kind === 'key' && before.reached.has(id))
    if (!mayChange) found.push(`changed ${kind} ${id}`)
    else if (beyond.length > 0) found.push(`changed ${kind} ${id}, which allows ${beyond}`)
  }
  return found
}

/** Makes the change, measures the reach before the rollback, and returns what grew. */
async function attempt(operation: Operation, one: LimitedCaller, caller: Caller, before: Measure, input: object) {
  const real = withoutTrace(createRuntime(services))
  const look = { caller, services, stage: there }
  const found: string[] = []
  let wasDone = false
  const watched: typeof real = {
    ...real,
    transaction: (as, mode, work) =>
      real.transaction(as, mode, async (db) => {
        const result = await work(db)
        wasDone = true
        if (await hasChanged(db))
          found.push(...grown(before, await measure({ ...look, db, change: operation }), one, caller))
        return result
      }),
  }
  try {
    const request = requestAs(one.who, { ip: anyAddress() })
    await run(operation, input, request, reply, watched)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  return { wasDone, found }
}

describe.each(callers)('a caller $name', async (one) => {
  const caller = await authenticate(services, requestAs(one.who))
  if (caller === null) throw new Error('the caller cannot authenticate')
  const before = await asCaller(services.people, caller, 'write', (db) =>
    measure({ db, caller, services, stage: there, change: null }),
  )
  const open = mutations.filter(({ endpoint: { access } }) => access.scopes.includes(one.scope))
  let done = 0

  it.each(open.map((operation) => ({ id: operation.id, operation })))(
    'does not extend its reach with $id',
    async ({ operation }) => {
      const examples = one.stages.map((stage) => exampleOf(operation).input(stage, one.scope) as object)
      const wrong: string[] = []
      const queue = [...wideningInputs(operation, examples, one.kinds, 2_000)]
      const lane = async () => {
        for (let input = queue.pop(); input !== undefined; input = queue.pop()) {
          const { wasDone, found } = await attempt(operation, one, caller, before, input)
          if (wasDone) done++
          if (found.length > 0) wrong.push(`${JSON.stringify(input)}: ${found.slice(0, 5).join('; ')}`)
        }
      }
      await Promise.all([lane(), lane(), lane()])
      expect(wrong).toEqual([])
    },
  )

  it('changes something, and reaches only a part of the data', () => {
    expect(done).toBeGreaterThan(50)
    expect(before.reached.size).toBeGreaterThan(5)
    expect([...existing].some((id) => !before.reached.has(id))).toBe(true)
  })
})
