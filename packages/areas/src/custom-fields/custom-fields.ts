import { isOneOf } from '@muster/db/lists.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, invalid, notFound } from '@muster/kit/errors.ts'
import { type ExpressionBuilder, sql } from 'kysely'
import { deviceById } from '../devices/index.ts'
import { type Call, implement } from '../operation.ts'
import {
  requireUnlimited,
  requireWholeOrganization,
  requireWorkingOrganization,
  requireWorkingTenant,
  tenantOf,
  within,
} from '../tenancy/index.ts'
import { CustomField, CustomValue, customFields as contract } from './custom-fields.contract.ts'
import { faultOfValue } from './values.rules.ts'

/** Those of organisations in reach, and those of the partner as a whole. */
const readable = (caller: Caller) => (eb: ExpressionBuilder<Tables, 'customFields'>) =>
  eb.or([
    eb.and([eb('orgId', 'is not', null), within(caller, 'orgId', 'partnerId')(eb)]),
    eb.and([
      eb('orgId', 'is', null),
      caller.scope === 'system' ? eb.lit(true) : eb('partnerId', '=', caller.partnerId),
    ]),
  ])

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

/** A partner's field is changed by the partner's people with access to all organisations, an organisation's by its own. */
async function changeableField(call: Call, id: string): Promise<CustomField> {
  const field = await fieldById(call, id)
  requireWholeOrganization(call.caller)
  if (field.orgId !== null) return field
  if (call.caller.scope === 'organization') throw denied('The field belongs to the partner')
  requireUnlimited(call.caller)
  return field
}

function requireSoundDefault(field: Pick<CustomField, 'key' | 'type' | 'options' | 'defaultValue'>) {
  if (field.type === 'choice' && field.options.length === 0) throw invalid('options: a choice needs at least one')
  const fault = faultOfValue({ ...field, required: false }, field.defaultValue)
  if (fault !== null) throw invalid(`defaultValue: ${fault}`)
}

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId }, db }) {
    const found = db
      .selectFrom('customFields')
      .where(readable(caller))
      .$if(orgId !== undefined, (query) =>
        query.where((eb) => eb.or([eb('orgId', 'is', null), eb('orgId', '=', orgId ?? '')])),
      )
    const [rows, { total }] = await Promise.all([
      found
        .selectAll()
        .orderBy('label')
        .orderBy('id')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute(),
      found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ])
    return { data: rows.map((row) => CustomField.parse(row)), pagination: { page, limit, total } }
  },

  async create({ caller, input, db, audit }) {
    const tenant = await tenantOf(db, caller, input)
    if (tenant.orgId === null) requireUnlimited(caller)
    else requireWholeOrganization(caller)
    await requireWorkingTenant(db, caller, tenant)
    requireSoundDefault(input)
    const { partnerId, orgId } = tenant
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
    await db
      .updateTable('devices')
      .set({ customFields: sql`custom_fields - ${before.key}::text` })
      .where('partnerId', '=', before.partnerId)
      .$if(before.orgId !== null, (query) => query.where('orgId', '=', before.orgId ?? ''))
      .where(sql<boolean>`custom_fields ? ${before.key}::text`)
      .execute()
    await db.deleteFrom('customFields').where('id', '=', before.id).execute()
    call.audit({ target: before.id, name: before.label, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },

  async setValues(call) {
    const { caller, db, services, audit } = call
    const { id, values = {} } = call.input
    const device = await deviceById(db, caller, id, services.clock.now())
    await requireWorkingOrganization(db, caller, device.orgId)
    const stored = await db
      .selectFrom('devices')
      .select(['customFields', 'partnerId'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const { partnerId } = stored
    const known = await db
      .selectFrom('customFields')
      .selectAll()
      .where('partnerId', '=', partnerId)
      .where((eb) => eb.or([eb('orgId', 'is', null), eb('orgId', '=', device.orgId)]))
      .where(isOneOf('key', Object.keys(values)))
      .execute()
    const definitions = new Map(known.map((row) => [row.key, CustomField.parse(row)]))
    for (const [key, value] of Object.entries(values)) {
      const definition = definitions.get(key)
      if (definition === undefined) throw invalid(`values.${key}: there is no such custom field`)
      const fault = faultOfValue(definition, value)
      if (fault !== null) throw invalid(`values.${key}: ${fault}`)
    }
    const merged = Object.entries({ ...stored.customFields, ...values }).filter(([, value]) => value !== null)
    const after = Object.fromEntries(merged.map(([key, value]) => [key, CustomValue.parse(value)]))
    await db
      .updateTable('devices')
      .set({ customFields: JSON.stringify(after) })
      .where('id', '=', id)
      .execute()
    audit({ target: id, name: device.hostname, orgId: device.orgId, partnerId, before: stored.customFields, after })
    return { deviceId: id, values: after }
  },
})
