import { asSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Services } from '../../../services.ts'
import { ensureBuiltInRoles } from '../../roles/index.ts'
import { passwordsOf } from '../passwords/passwords.ts'
import { requireStrongPassword } from '../passwords/strength.ts'

/**
 * Prepares a database: writes the built-in roles at each start, and the first system administrator when there is none.
 * There is no setup page on purpose. The first account comes from the operator who controls the process.
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
    // The operator names this address and has to sign in before a mail server is configured, so it counts as proven.
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
    services.log.info({ email: admin.email }, 'first administrator created')
  })
}
