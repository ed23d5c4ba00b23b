import { randomUUID } from 'node:crypto'
import { always, isNull, isNullOr } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { requireWholeOwner, requireWorkingTenant, tenantOf } from '../../tenancy/tenancy/index.ts'
import { sealSecret } from './sealed-secret.ts'
import { secrets as contract, Secret } from './secrets.contract.ts'
import { changeableSecret, columns, readableSecrets } from './secrets.queries.ts'

type Place = Pick<Secret, 'partnerId' | 'orgId' | 'siteId'>

/** The owner that a request names. @throws as `tenantOf`, VALIDATION_ERROR for a site that does not fit */
async function placeOf({ caller, db, input }: Call<TenantOfSecret>): Promise<Place> {
  const { siteId, orgId, partnerId } = input
  const site = siteId === null ? undefined : await siteById(db, siteId)
  const { orgId: owner, ...tenant } = await tenantOf(db, caller, { orgId: orgId ?? site?.orgId ?? null, partnerId })
  if (siteId !== null && site?.orgId !== owner) throw invalid('siteId: this site does not exist in the organization')
  const place = { partnerId: tenant.partnerId, orgId: owner, siteId }
  requireWholeOwner(caller, place, 'secret')
  await requireWorkingTenant(db, caller, place)
  return place
}

interface TenantOfSecret {
  readonly siteId: string | null
  readonly orgId: string | null
  readonly partnerId?: string | undefined
}

const siteById = (db: Db, id: string) => db.selectFrom('sites').select('orgId').where('id', '=', id).executeTakeFirst()

const requireShareable = (orgId: string | null, isShared: boolean | undefined) => {
  if (isShared === true && orgId !== null)
    throw invalid('sharedWithOrganizations: is only for secrets of the whole partner')
}

const levels = {
  partner: isNull('orgId'),
  organization: sql<boolean>`org_id IS NOT NULL AND site_id IS NULL`,
  site: sql<boolean>`site_id IS NOT NULL`,
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, search, orgId, siteId, level } }) {
    const found = db
      .selectFrom('secrets')
      .where(readableSecrets(caller))
      .where(orgId === undefined ? always : isNullOr('orgId', orgId))
      .where(siteId === undefined ? always : isNullOr('siteId', siteId))
      .where(level === undefined ? always : levels[level])
      .$if(search !== undefined, (query) =>
        query.where(sql<boolean>`strpos(lower(name || ' ' || coalesce(description, '')), lower(${search}::text)) > 0`),
      )
    const { data, pagination } = await paged(found.select(columns).orderBy('name').orderBy('id'), { page, limit })
    return { data: data.map((row) => Secret.parse(row)), pagination }
  },

  async create(call) {
    const { caller, db, services, audit } = call
    const { name, value, description, sharedWithOrganizations } = call.input
    const place = await placeOf(call)
    requireShareable(place.orgId, sharedWithOrganizations)
    const id = randomUUID()
    const made = await db
      .insertInto('secrets')
      .values({
        ...{ id, ...place, name, description, sharedWithOrganizations, createdBy: caller.userId },
        sealed: sealSecret(services.keyring, id, value),
      })
      .returning(columns)
      .executeTakeFirstOrThrow()
    const secret = Secret.parse(made)
    audit({ target: id, name, orgId: secret.orgId, partnerId: secret.partnerId, after: secret })
    return secret
  },

  async update(call) {
    const { db, services, audit } = call
    const { id, value, ...given } = call.input
    const before = await changeableSecret(call, id)
    requireShareable(before.orgId, given.sharedWithOrganizations)
    const made = await db
      .updateTable('secrets')
      .set({ ...given, ...(value === undefined ? {} : { sealed: sealSecret(services.keyring, id, value) }) })
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirstOrThrow()
    const after = Secret.parse(made)
    const { orgId, partnerId, name } = after
    const replaced = { replacedValue: value !== undefined }
    const changed = { before: { ...before, replacedValue: false }, after: { ...after, ...replaced } }
    audit({ target: id, name, orgId, partnerId, ...changed })
    return after
  },

  async remove(call) {
    const { db, audit } = call
    const before = await changeableSecret(call, call.input.id)
    await db.deleteFrom('secrets').where('id', '=', before.id).execute()
    const { id, name, orgId, partnerId } = before
    audit({ target: id, name, orgId, partnerId, before })
    return { success: true as const }
  },
})
