import type { Db } from '@muster/db/database.ts'

/** Takes every second factor from an account: authenticator, phone, passkeys, recovery codes. @returns what there was */
export async function clearFactors(db: Db, userId: string): Promise<{ method: string | null; passkeys: number }> {
  const { mfaMethod } = await db
    .selectFrom('users')
    .select('mfaMethod')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { numDeletedRows } = await db.deleteFrom('passkeys').where('userId', '=', userId).executeTakeFirst()
  await db
    .updateTable('users')
    .set({ mfaEnabled: false, mfaMethod: null, mfaSecret: null, mfaLastStep: null, mfaRecoveryCodes: '[]' })
    .set({ phoneNumber: null, phoneVerified: false })
    .where('id', '=', userId)
    .execute()
  return { method: mfaMethod, passkeys: Number(numDeletedRows) }
}
