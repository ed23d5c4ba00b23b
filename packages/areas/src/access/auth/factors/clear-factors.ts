import type { Db } from '@muster/db/database.ts'
import { clearFactorSet } from './factor-set.ts'

/** Removes all second factors of an account: authenticator, phone, passkeys, recovery codes. @returns what it had */
export async function clearFactors(db: Db, userId: string): Promise<{ method: string | null; passkeys: number }> {
  const { mfaMethod } = await db
    .selectFrom('users')
    .select('mfaMethod')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { numDeletedRows } = await db.deleteFrom('passkeys').where('userId', '=', userId).executeTakeFirst()
  await clearFactorSet(db, userId)
  return { method: mfaMethod, passkeys: Number(numDeletedRows) }
}
