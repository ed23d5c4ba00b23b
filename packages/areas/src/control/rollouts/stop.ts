import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import { stop as contract } from './rollouts.contract.ts'

const columns = ['stopped', 'reason', 'byUser', 'at'] as const
const read = (db: Db) => db.selectFrom('agentUpdateStop').select(columns).executeTakeFirstOrThrow()

async function write(db: Db, stopped: boolean, reason: string | null, byUser: string) {
  return db
    .updateTable('agentUpdateStop')
    .set({ stopped, reason, byUser, at: sql`now()` })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** One switch for the installation. Workers read it before every offer. */
export default implement(contract, {
  get: ({ db }) => read(db),

  set: (call) =>
    call.write(async (db) => {
      const before = await read(db)
      const after = await write(db, true, call.input.reason, call.caller.userId)
      call.audit({ target: 'updates', before, after })
      return after
    }),

  async lift(call) {
    return call.write(async (db) => {
      const before = await read(db)
      const after = await write(db, false, null, call.caller.userId)
      call.audit({ target: 'updates', before, after })
      return after
    })
  },
})
