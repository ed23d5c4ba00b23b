import { implement } from '../../operation.ts'
import { preferences as contract, NotificationPreferences } from './preferences.contract.ts'

const usual = { muted: [], minPriority: 'low' }

export default implement(contract, {
  async get({ caller, db }) {
    const found = await db
      .selectFrom('notificationPreferences')
      .select(['muted', 'minPriority'])
      .where('userId', '=', caller.userId)
      .executeTakeFirst()
    return NotificationPreferences.parse(found ?? usual)
  },

  async update({ caller, db, input: { muted, minPriority } }) {
    const given = {
      ...(muted === undefined ? {} : { muted: [...new Set(muted)] }),
      ...(minPriority === undefined ? {} : { minPriority }),
    }
    const stored = await db
      .insertInto('notificationPreferences')
      .values({ userId: caller.userId, ...given })
      .onConflict((conflict) => conflict.column('userId').doUpdateSet(given))
      .returning(['muted', 'minPriority'])
      .executeTakeFirstOrThrow()
    return NotificationPreferences.parse(stored)
  },
})
