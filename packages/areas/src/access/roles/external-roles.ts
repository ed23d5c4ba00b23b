// Roles that an identity provider creates for an organization. They have no permissions until an administrator grants some.
import type { Db } from '@muster/db/database.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { Tenant } from '../../tenancy/tenancy/index.ts'
import { rolesFor } from './roles.queries.ts'

const nameTaken = () => new AppError('CONFLICT', 'A role with this name already exists', { scimType: 'uniqueness' })

async function requireFreeName(db: Db, tenant: Tenant, name: string, except: string | null): Promise<void> {
  const found = await db
    .selectFrom('roles')
    .select('id')
    .where(rolesFor(tenant))
    .where((eb) => eb(eb.fn<string>('lower', ['name']), '=', name.toLowerCase()))
    .$if(except !== null, (query) => query.where('id', '!=', except ?? ''))
    .executeTakeFirst()
  if (found !== undefined) throw nameTaken()
}

/** @throws CONFLICT when the name is taken */
export async function addRole(db: Db, tenant: Tenant, name: string, description: string): Promise<{ id: string }> {
  await requireFreeName(db, tenant, name, null)
  const { scope, partnerId, orgId } = tenant
  return db
    .insertInto('roles')
    .values({ scope, partnerId, orgId, name, description })
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** @throws CONFLICT when the name is taken */
export async function renameRole(db: Db, tenant: Tenant, id: string, name: string): Promise<void> {
  await requireFreeName(db, tenant, name, id)
  await db.updateTable('roles').set({ name }).where('id', '=', id).execute()
}

/** Deletes a role. The database rejects a role that members have or other roles inherit from: 409. */
export async function deleteRole(db: Db, id: string): Promise<void> {
  await db.deleteFrom('roles').where('id', '=', id).where('isSystem', '=', false).execute()
}
