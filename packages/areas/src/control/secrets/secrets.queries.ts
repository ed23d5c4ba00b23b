import { allOf, always, anyOf, type Condition, equals, isNull, never } from '@muster/db/conditions.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import type { Call } from '../../operation.ts'
import {
  isLimited,
  requireWholeOwner,
  requireWorkingOrganization,
  withinOrOfPartner,
} from '../../tenancy/tenancy/index.ts'
import { Secret } from './secrets.contract.ts'

export const columns = [
  'id',
  'partnerId',
  'orgId',
  'siteId',
  'name',
  'description',
  'sharedWithOrganizations',
  'createdBy',
  'createdAt',
  'updatedAt',
] as const

/**
 * Secrets of organizations within reach and of the whole partner. Organizations see those that are shared with them. Members
 * limited to sites or groups see none.
 */
export const readableSecrets = (caller: Caller): Condition =>
  isLimited(caller)
    ? never
    : allOf(
        withinOrOfPartner(caller, 'orgId', 'partnerId'),
        caller.scope === 'organization'
          ? anyOf(equals('orgId', caller.orgId), allOf(isNull('orgId'), equals('sharedWithOrganizations', true)))
          : always,
      )

/** Locks the secret until the transaction ends. @throws NOT_FOUND, FORBIDDEN for callers who may not change it */
export async function changeableSecret({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string): Promise<Secret> {
  const seen = () => db.selectFrom('secrets').select(columns).where('id', '=', id).where(readableSecrets(caller))
  const found = await seen().executeTakeFirst()
  if (found === undefined) throw notFound('Secret')
  requireWholeOwner(caller, found, 'secret')
  await requireWorkingOrganization(db, caller, found.orgId)
  const locked = await seen().forUpdate().executeTakeFirst()
  if (locked === undefined) throw notFound('Secret')
  return Secret.parse(locked)
}
