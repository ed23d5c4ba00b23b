import { always, isNullOr, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, invalid, notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { liveEvent, publishEvents } from '../../platform/live-events/index.ts'
import {
  requireWholeOwner,
  requireWorkingOrganization,
  requireWorkingTenant,
  type Tenant,
  tenantOf,
  withinOrOfPartner,
} from '../../tenancy/tenancy/index.ts'
import { deviceById, removeCustomValues, setCustomValues } from '../devices/index.ts'
import { deviceChanged } from '../devices/state/device-events.contract.ts'
import { CustomField, CustomValue, customFields as contract } from './custom-fields.contract.ts'
import { faultOfValue } from './values.rules.ts'

/** Fields of organizations within reach, and those of the whole partner. */
const readable = (caller: Caller) => withinOrOfPartner(caller, 'orgId', 'partnerId')

async function fieldById({ db, caller }: Call, id: string): Promise<CustomField> {
  const found = await db
    .selectFrom('customFields')
    .selectAll()
    .where('id', '=', id)
    .where(readable(caller))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Custom field')
  return CustomField.parse(found)
}

/** Only partner users with access to all organizations change a field of the partner. An organization changes its own. */
async function changeableField(call: Call, id: string): Promise<CustomField> {
  const field = await fieldById(call, id)
  requireWholeOwner(call.caller, field, 'field')
  return field
}

function requireSoundDefault(field: Pick<CustomField, 'key' | 'type' | 'options' | 'defaultValue'>) {
  if (field.type === 'choice' && field.options.length === 0) throw invalid('options: a choice needs at least one')
  const fault = faultOfValue({ ...field, required: false }, field.defaultValue)
  if (fault !== null) throw invalid(`defaultValue: ${fault}`)
}

/**
 * Setting values takes a shared lock; creating and deleting fields takes an exclusive one. So no value outlives its field, and
 * no key gets two types. Row locks do not work here, because organization users may not change fields of the partner.
 */
const asWriterOf = (what: 'values' | 'fields', partnerId: string): RawBuilder<unknown> => {
  const key = sql`hashtextextended(${`custom fields ${partnerId}`}, 0)`
  return what === 'values'
    ? sql`SELECT pg_advisory_xact_lock_shared(${key})`
    : sql`SELECT pg_advisory_xact_lock(${key})`
}

/** The fields with these keys that apply to an organization's devices. */
async function definitionsFor(
  db: Db,
  { partnerId, orgId }: Pick<CustomField, 'partnerId' | 'orgId'>,
  keys: readonly string[],
): Promise<Map<string, CustomField>> {
  const found = await db
    .selectFrom('customFields')
    .selectAll()
    .where('partnerId', '=', partnerId)
    .where(isNullOr('orgId', orgId))
    .where(isOneOf('key', keys))
    .execute()
  return new Map(found.map((row) => [row.key, CustomField.parse(row)]))
}

/** A key has one type in the partner and all of its organizations, because filters of the partner compare the values of all. */
async function requireOneType(
  db: Db,
  { partnerId, orgId }: Tenant,
  { key, type }: Pick<CustomField, 'key' | 'type'>,
): Promise<void> {
  await asWriterOf('fields', partnerId).execute(db)
  const other = await db
    .selectFrom('customFields')
    .select(['orgId', 'type'])
    .where('partnerId', '=', partnerId)
    .where('key', '=', key)
    .where('type', '!=', type)
    .$if(orgId !== null, (query) => query.where('orgId', 'is', null))
    .executeTakeFirst()
  if (other === undefined) return
  const owner = other.orgId === null ? 'The partner' : 'An organization of the partner'
  throw conflict(`${owner} has a field ${key} of the type ${other.type}. Use this type or another key`)
}

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId }, db }) {
    const found = db
      .selectFrom('customFields')
      .where(readable(caller))
      .where(orgId === undefined ? always : isNullOr('orgId', orgId))
    const { data, pagination } = await paged(found.selectAll().orderBy('label').orderBy('id'), { page, limit })
    return { data: data.map((row) => CustomField.parse(row)), pagination }
  },

  async create({ caller, input, db, audit }) {
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'field')
    await requireWorkingTenant(db, caller, tenant)
    requireSoundDefault(input)
    const { partnerId, orgId } = tenant
    await requireOneType(db, tenant, input)
    const made = await db
      .insertInto('customFields')
      .values({ ...input, partnerId, orgId, defaultValue: JSON.stringify(input.defaultValue) })
      .returningAll()
      .executeTakeFirstOrThrow()
    audit({ target: made.id, name: made.label, orgId, partnerId, after: made })
    return CustomField.parse(made)
  },

  async get(call) {
    return fieldById(call, call.input.id)
  },

  async update(call) {
    const { id, defaultValue, ...changes } = call.input
    const before = await changeableField(call, id)
    await requireWorkingOrganization(call.db, call.caller, before.orgId)
    requireSoundDefault({
      ...before,
      ...changes,
      defaultValue: defaultValue === undefined ? before.defaultValue : defaultValue,
    })
    const after = await call.db
      .updateTable('customFields')
      .set({ ...changes, ...(defaultValue === undefined ? {} : { defaultValue: JSON.stringify(defaultValue) }) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    call.audit({ target: id, name: after.label, orgId: after.orgId, partnerId: after.partnerId, before, after })
    return CustomField.parse(after)
  },

  async remove(call) {
    const before = await changeableField(call, call.input.id)
    const { db } = call
    await requireWorkingOrganization(db, call.caller, before.orgId)
    await asWriterOf('fields', before.partnerId).execute(db)
    const { numDeletedRows } = await db.deleteFrom('customFields').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Custom field')
    await removeCustomValues(db, before)
    call.audit({ target: before.id, name: before.label, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },

  async setValues(call) {
    const { caller, db, services, audit, afterCommit } = call
    const { id, values = {} } = call.input
    const at = services.clock.now()
    const device = await deviceById(db, caller, id, at)
    await requireWorkingOrganization(db, caller, device.orgId)
    const place = db.selectFrom('devices').select(['customFields', 'partnerId', 'orgId']).where('id', '=', id)
    const { partnerId } = await place.executeTakeFirstOrThrow()
    await asWriterOf('values', partnerId).execute(db)
    const stored = await place.forUpdate().executeTakeFirst()
    if (stored === undefined) throw notFound('Device')
    const definitions = await definitionsFor(db, stored, Object.keys(values))
    for (const [key, value] of Object.entries(values)) {
      const definition = definitions.get(key)
      // A value that outlived its field can be removed.
      if (definition === undefined && value === null && Object.hasOwn(stored.customFields, key)) continue
      if (definition === undefined) throw invalid(`values.${key}: this custom field does not exist`)
      const fault = faultOfValue(definition, value)
      if (fault !== null) throw invalid(`values.${key}: ${fault}`)
    }
    const merged = Object.entries({ ...stored.customFields, ...values }).filter(([, value]) => value !== null)
    const after = Object.fromEntries(merged.map(([key, value]) => [key, CustomValue.parse(value)]))
    await setCustomValues(db, id, after)
    audit({ target: id, name: device.hostname, orgId: device.orgId, partnerId, before: stored.customFields, after })
    const { orgId, siteId } = device
    const event = liveEvent(deviceChanged, partnerId, { orgId, siteId, deviceId: id, at, changed: 'customFields' })
    afterCommit(() => publishEvents(services.redis, [event]))
    return { deviceId: id, values: after }
  },
})
