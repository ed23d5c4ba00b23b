import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { countsOf } from './offers.jobs.ts'
import { rollouts as contract, Rollout } from './rollouts.contract.ts'
import { sumOf } from './rollouts.rules.ts'

const columns = [
  'id',
  'version',
  'state',
  'stages',
  'stage',
  'stageAt',
  'successPercent',
  'errorPercent',
  'stageSeconds',
  'reason',
  'createdBy',
  'createdAt',
  'updatedAt',
] as const

type State = 'running' | 'paused' | 'halted' | 'completed' | 'cancelled'

export default implement(contract, {
  async list({ input: { page, limit, state }, db }) {
    const found = db
      .selectFrom('agentRollouts')
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'running'))
    const { data, pagination } = await paged(found.select(columns).orderBy('createdAt', 'desc').orderBy('id'), {
      page,
      limit,
    })
    return { data: data.map(asRollout), pagination }
  },

  async get({ input, db }) {
    const rollout = await rolloutById(db, input.id)
    return { ...rollout, devices: sumOf(await countsOf(db, rollout)) }
  },

  async create(call) {
    const { caller, input, write, audit } = call
    return write(async (db) => {
      const known = await db
        .selectFrom('agentVersions')
        .select('id')
        .where('version', '=', input.version)
        .where('kind', '=', 'agent')
        .limit(1)
        .executeTakeFirst()
      if (known === undefined) throw notFound('Agent version')
      // Of two concurrent requests the index accepts one; the other waits for it here.
      await sql`LOCK TABLE agent_rollouts IN SHARE ROW EXCLUSIVE MODE`.execute(db)
      const open = await db
        .selectFrom('agentRollouts')
        .select('version')
        .where('state', 'in', ['running', 'paused', 'halted'])
        .executeTakeFirst()
      if (open !== undefined) throw conflict(`The rollout of version ${open.version} is not over: cancel it first`)
      const made = await db
        .insertInto('agentRollouts')
        .values({ ...input, createdBy: caller.userId })
        .returning(columns)
        .executeTakeFirstOrThrow()
      audit({ target: made.id, name: made.version, after: made })
      return asRollout(made)
    })
  },

  pause: (call) => move(call, ['running'], { state: 'paused' }),

  // The stage starts again, so that its full time remains to see the results.
  async resume(call) {
    const change = { state: 'running', reason: null, stageAt: sql`now()` }
    return move(call, ['paused', 'halted'], change, async (db, rollout) => {
      const { failed } = sumOf(await countsOf(db, rollout))
      return { errorsAccepted: failed }
    })
  },

  cancel: (call) => move(call, ['running', 'paused', 'halted'], { state: 'cancelled' }),
})

async function rolloutById(db: Db, id: string) {
  const rollout = await db.selectFrom('agentRollouts').select(columns).where('id', '=', id).executeTakeFirst()
  if (rollout === undefined) throw notFound('Rollout')
  return asRollout(rollout)
}

const asRollout = (row: unknown) => Rollout.parse(row)

/** Changes the state of a rollout that is in one of the given states. */
function move(
  { input, write, audit }: Pick<Call<{ id: string }>, 'input' | 'write' | 'audit'>,
  from: readonly State[],
  change: object,
  further: (db: Db, rollout: { id: string; version: string }) => Promise<object> = async () => ({}),
) {
  return write(async (db) => {
    await sql`SELECT FROM agent_rollouts WHERE id = ${input.id} FOR UPDATE`.execute(db)
    const before = await rolloutById(db, input.id)
    if (!from.includes(before.state)) throw conflict(`The rollout is ${before.state}`)
    const after = await db
      .updateTable('agentRollouts')
      .set({ ...change, ...(await further(db, before)) })
      .where('id', '=', input.id)
      .returning(columns)
      .executeTakeFirstOrThrow()
    audit({ target: after.id, name: after.version, before, after })
    return asRollout(after)
  })
}
