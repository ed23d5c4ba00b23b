import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { implement } from '../../operation.ts'
import { profile as contract } from './profile.contract.ts'

export default implement(contract, {
  async get({ caller, db }) {
    return ownAccount(db, caller)
  },

  async update({ caller, input, db, audit }) {
    const before = await ownAccount(db, caller)
    await db.updateTable('users').set(input).where('id', '=', caller.userId).execute()
    const after = await ownAccount(db, caller)
    audit({ target: caller.userId, name: caller.email, before, after })
    return after
  },
})

async function ownAccount(db: Db, { userId, scope, partnerId, orgId, roleId }: Caller) {
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (user === undefined) throw notFound('User')
  return { ...user, scope, partnerId, orgId, roleId }
}
