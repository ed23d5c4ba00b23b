import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { AppError, badRequest, conflict, denied, notFound } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../../operation.ts'
import { requireUnlimited } from '../../../tenancy/tenancy/index.ts'
import { isOneOfPartners, type Partners } from '../commands.queries.ts'
import { type CommandStop, stops as contract } from './stops.contract.ts'
import { copyCommandStops } from './stops.jobs.ts'

const columns = ['partnerId', 'byScope', 'reason', 'byUser', 'at'] as const
/** The confirmation with which system scope stops all partners. */
const installation = 'installation'

export default implement(contract, {
  get: ({ db, caller }) => stateFor(db, caller),

  async set(call) {
    const { caller, db, audit, services, afterCommit } = call
    const { reason, confirm } = call.input
    const partnerId = await partnerMeant(call)
    if (partnerId === null && confirm !== installation) {
      throw badRequest(`Name a partnerId, or stop the whole installation with confirm: ${installation}`)
    }
    const stop = { partnerId, byScope: scopeOf(caller), reason, byUser: caller.userId }
    const at = new Date(services.clock.now()).toISOString()
    await db
      .insertInto('commandStops')
      .values({ ...stop, at })
      .onConflict((same) => same.columns(['partnerId', 'byScope']).doUpdateSet({ reason, byUser: caller.userId, at }))
      .execute()
    audit({ target: partnerId ?? installation, partnerId, details: { reason, of: partnerId ?? installation } })
    afterCommit(() => copyCommandStops(services.system, services.redis))
    return stateFor(db, caller)
  },

  async lift(call) {
    const { caller, db, audit, services, afterCommit } = call
    const partnerId = await partnerMeant(call)
    const lifted = await db
      .deleteFrom('commandStops')
      .where('partnerId', partnerId === null ? 'is' : '=', partnerId)
      .$if(caller.scope !== 'system', (query) => query.where('byScope', '=', 'partner'))
      .returning(columns)
      .execute()
    const state = await stateFor(db, caller)
    if (lifted.length === 0 && state.stopped) throw denied('The operator of this installation has stopped commands')
    if (lifted.length === 0) throw conflict('Commands are not stopped')
    audit({ target: partnerId ?? installation, partnerId, details: { of: partnerId ?? installation, lifted } })
    afterCommit(() => copyCommandStops(services.system, services.redis))
    return state
  },
})

const scopeOf = ({ scope }: Caller): CommandStop['byScope'] => (scope === 'system' ? 'system' : 'partner')

/** The partner of the call; null for the whole installation. */
async function partnerMeant({ caller, db, input }: Call<{ partnerId?: string | undefined }>): Promise<string | null> {
  const { partnerId } = input
  if (caller.scope !== 'system') {
    requireUnlimited(caller)
    if (partnerId !== undefined && partnerId !== caller.partnerId) throw denied('Access denied to this partner')
    return caller.partnerId
  }
  if (partnerId === undefined) return null
  const found = await db
    .selectFrom('partners')
    .select('id')
    .where('id', '=', partnerId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  if (found === undefined) throw notFound('Partner')
  return found.id
}

async function stateFor(db: Db, caller: Caller) {
  const isSystem = caller.scope === 'system'
  const found = await db
    .selectFrom('commandStops')
    .select(columns)
    .$if(!isSystem, (query) =>
      query.where((eb) => eb.or([eb('partnerId', 'is', null), eb('partnerId', '=', caller.partnerId)])),
    )
    .orderBy('at')
    .execute()
  const stops = found.map((stop) => (isSystem || stop.byScope === 'partner' ? stop : { ...stop, byUser: null }))
  return { stopped: stops.some(({ partnerId }) => !isSystem || partnerId === null), stops }
}

/** @throws COMMANDS_STOPPED with the reason, if one of the partners is stopped */
export async function requireDelivery(db: Db, partners: Partners): Promise<void> {
  const stop = await db
    .selectFrom('commandStops')
    .select(columns)
    .where((eb) => eb.or([eb('partnerId', 'is', null), isOneOfPartners('partnerId', partners)]))
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()
  if (stop === undefined) return
  const { partnerId, reason, at } = stop
  const whose = partnerId === null ? 'the whole installation' : 'this partner'
  throw new AppError('COMMANDS_STOPPED', `Commands are stopped for ${whose}: ${reason}`, { reason, since: at })
}

/** Those of the partners whose commands are stopped. */
export async function stoppedPartners(db: Db, partnerIds: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(partnerIds)]
  const rows = await db
    .selectFrom('commandStops')
    .select('partnerId')
    .where((eb) => eb.or([eb('partnerId', 'is', null), isOneOfPartners('partnerId', ids)]))
    .execute()
  const stopped = rows.flatMap(({ partnerId }) => partnerId ?? [])
  return new Set(stopped.length < rows.length ? ids : stopped)
}
