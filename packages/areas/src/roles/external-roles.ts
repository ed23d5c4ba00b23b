// Roles that an identity provider makes for an organisation. They allow nothing until somebody who may says what.
import type { Db } from '@muster/db/database.ts'
import { isStillUsed, isTaken } from '@muster/db/violations.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { Tenant } from '../tenancy/index.ts'
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

function translated(error: unknown): never {
  throw isTaken(error, 'roles_name') ? nameTaken() : error
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
    .catch(translated)
}

/** @throws CONFLICT when the name is taken */
export async function renameRole(db: Db, tenant: Tenant, id: string, name: string): Promise<void> {
  await requireFreeName(db, tenant, name, id)
  await db.updateTable('roles').set({ name }).where('id', '=', id).execute().catch(translated)
}

/** Deletes a role that nobody has and nothing inherits from. @returns false, with the transaction lost, when somebody does */
export async function dropRole(db: Db, id: string): Promise<boolean> {
  try {
    await db.deleteFrom('roles').where('id', '=', id).where('isSystem', '=', false).execute()
    return true
  } catch (error) {
    if (isStillUsed(error)) return false
    throw error
  }
}
