import { asSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Services } from '../../../services.ts'
import { ensureBuiltInRoles } from '../../roles/index.ts'
import { passwordsOf } from '../passwords/passwords.ts'
import { requireStrongPassword } from '../passwords/strength.ts'

/**
 * Prepares a database for its first use: built-in roles always; the system-scope administrator when there is none.
 * There is deliberately no setup page: the first account comes from whoever controls the process.
 */
export async function bootstrap(
  services: Pick<Services, 'system' | 'log' | 'core'>,
  admin: { email: string; password: string } | null,
) {
  const passwordHash = admin === null ? null : await passwordsOf(services).hash(admin.password)
  await asSystem(services.system, async (db) => {
    await sql`SELECT pg_advisory_xact_lock(7301154)`.execute(db)
    await ensureBuiltInRoles(db)
    const existing = await db.selectFrom('systemUsers').select('id').limit(1).executeTakeFirst()
    if (existing !== undefined || admin === null) return
    await requireStrongPassword(admin.password, [admin.email])
    const role = await db
      .selectFrom('roles')
      .select('id')
      .where('isSystem', '=', true)
      .where('scope', '=', 'system')
      .executeTakeFirstOrThrow()
    // It comes from the operator, and has to open the installation before there is a mail server.
    const emailVerifiedAt = new Date().toISOString()
    const user = await db
      .insertInto('users')
      .values({
        email: admin.email.toLowerCase(),
        name: 'Administrator',
        passwordHash,
        status: 'active',
        emailVerifiedAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db.insertInto('systemUsers').values({ userId: user.id, roleId: role.id }).execute()
    services.log.info({ email: admin.email }, 'the first administrator was made')
  })
}
