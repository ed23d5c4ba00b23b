import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { permissionsOf, requireNotGreater } from '../roles/index.ts'
import type { Member } from './members.queries.ts'

/** @throws FORBIDDEN when the member's role, including inherited permissions, allows more than the caller's role */
export async function requireNotGreaterMember(
  db: Db,
  caller: Caller,
  { roleId }: Pick<Member, 'roleId'>,
): Promise<void> {
  requireNotGreater(caller, 'a user', await permissionsOf(db, roleId))
}
