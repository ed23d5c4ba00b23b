import { randomUUID } from 'node:crypto'
import { always, isNullOr, never } from '@muster/db/conditions.ts'
import { asCaller, type Db } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import { paged } from '@muster/db/page.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, invalid, notFound } from '@muster/kit/errors.ts'
import { isOtherOrigin, requireAllowedAddress } from '@muster/kit/network/outgoing.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type { Selectable } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { dropLane, healthOf, noteTry, renewLane, setLane } from '../../platform/deliveries/index.ts'
import {
  isLimited,
  requireWholeOwner,
  requireWorkingOrganization,
  requireWorkingTenant,
  tenantOf,
  withinOrOfPartner,
} from '../../tenancy/tenancy/index.ts'
import { channelToSend } from './channel-sender.ts'
import { AlertChannel, alertChannels as contract } from './channels.contract.ts'
import { laneFor, laneOf } from './lanes.ts'
import { testMessage } from './message.ts'
import { sealConfig, withChanges } from './secrets.ts'
import { sendThrough } from './senders.ts'
import { requestWays } from './ways.ts'

type Row = Selectable<Tables['alertChannels']>

/** Channels of organizations within reach, and those of the whole partner, which its rules everywhere may use. */
const readable = (caller: Caller) => (isLimited(caller) ? never : withinOrOfPartner(caller, 'orgId', 'partnerId'))

async function shown(db: Db, rows: readonly Row[]): Promise<AlertChannel[]> {
  const health = await healthOf(
    db,
    rows.map(({ id }) => laneOf(id)),
  )
  return rows.map((row) =>
    AlertChannel.parse({
      ...row,
      ...(health.get(laneOf(row.id)) ?? { status: 'untested', lastSuccessAt: null, lastError: null }),
    }),
  )
}

async function shownOne(db: Db, row: Row): Promise<AlertChannel> {
  const [channel] = await shown(db, [row])
  if (channel === undefined) throw notFound('Alert channel')
  return channel
}

/** For changes: the channel, if the caller may change what it belongs to. */
async function changeableChannel(db: Db, caller: Caller, id: string): Promise<Row> {
  const row = await db
    .selectFrom('alertChannels')
    .selectAll()
    .where('id', '=', id)
    .where(readable(caller))
    .executeTakeFirst()
  if (row === undefined) throw notFound('Alert channel')
  requireWholeOwner(caller, row, 'channel')
  await requireWorkingOrganization(db, caller, row.orgId)
  return row
}

/** The channel as it is until the transaction ends, so that its address does not change beside its secrets. */
async function lockedChannel(db: Db, caller: Caller, id: string): Promise<Row> {
  await changeableChannel(db, caller, id)
  const row = await db.selectFrom('alertChannels').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  if (row === undefined) throw notFound('Alert channel')
  return row
}

/** @throws VALIDATION_ERROR when headers and secret of one server would be sent to another */
function requireOwnHeaders(before: Row, given: JsonObject): void {
  const [url, known] = [given.url, before.config.url]
  if (typeof url !== 'string' || typeof known !== 'string' || !isOtherOrigin(url, known)) return
  const missing = before.secretFields.find((name) => given[name] === undefined)
  if (missing !== undefined)
    throw invalid(`config.${missing}: is required again, because the URL leads to another server`)
}

/** The stored form of a configuration whose address is allowed. */
async function soundConfig(
  { services }: Call,
  ...[channel, given]: Parameters<typeof sealConfig> extends [Keyring, ...infer Rest] ? Rest : never
) {
  const { url, ...stored } = sealConfig(services.keyring, channel, given)
  const field = channel.type === 'webhook' ? 'config.url' : 'config.webhookUrl'
  if (url !== null) await requireAllowedAddress(url, services.settings.outgoing.allowedNetworks, field)
  return { ...stored, config: JSON.stringify(stored.config) }
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, orgId, type } }) {
    const found = db
      .selectFrom('alertChannels')
      .where(readable(caller))
      .where(orgId === undefined ? always : isNullOr('orgId', orgId))
      .$if(type !== undefined, (query) => query.where('type', '=', type ?? 'email'))
    const { data, pagination } = await paged(found.selectAll().orderBy('name').orderBy('id'), { page, limit })
    return { data: await shown(db, data), pagination }
  },

  async create(call) {
    const { caller, db, audit } = call
    const { name, type, enabled, sendResolved, config } = call.input
    const id = randomUUID()
    const stored = await soundConfig(call, { id, type }, config)
    const tenant = await tenantOf(db, caller, call.input)
    requireWholeOwner(caller, tenant, 'channel')
    await requireWorkingTenant(db, caller, tenant)
    const { partnerId, orgId } = tenant
    const row = await db
      .insertInto('alertChannels')
      .values({ id, partnerId, orgId, name, type, enabled, sendResolved, ...stored, createdBy: caller.userId })
      .returningAll()
      .executeTakeFirstOrThrow()
    await setLane(db, laneFor(row))
    const channel = await shownOne(db, row)
    audit({ target: id, name, orgId, partnerId, after: channel })
    return channel
  },

  async update(call) {
    const { caller, db, services, audit } = call
    const { id, config, ...given } = call.input
    const before = await lockedChannel(db, caller, id)
    const { keyring } = services
    if (config !== undefined) requireOwnHeaders(before, config)
    const stored = config === undefined ? {} : await soundConfig(call, before, withChanges(keyring, before, config))
    const row = await db
      .updateTable('alertChannels')
      .set({ ...given, ...stored })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const was = await shownOne(db, before)
    if (config !== undefined) await renewLane(db, laneOf(id))
    const after = await shownOne(db, row)
    const { orgId, partnerId, name } = row
    const details = config === undefined ? {} : { configChanged: Object.keys(config) }
    audit({ target: id, name, orgId, partnerId, before: was, after, details })
    return after
  },

  async remove({ caller, db, input: { id }, audit }) {
    const row = await changeableChannel(db, caller, id)
    const used = await db.selectFrom('alertChannelUses').select('usedBy').where('channelId', '=', id).executeTakeFirst()
    if (used !== undefined) {
      const [what = 'rule'] = used.usedBy.split(':')
      throw conflict(`The channel is in use by a ${what}. Remove it there first`)
    }
    const before = await shownOne(db, row)
    const { numDeletedRows } = await db.deleteFrom('alertChannels').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Alert channel')
    await dropLane(db, laneOf(id))
    audit({ target: id, name: row.name, orgId: row.orgId, partnerId: row.partnerId, before })
    return { success: true as const }
  },

  async test({ caller, input: { id }, services, write, audit }) {
    const { people, keyring, settings } = services
    const { row, found } = await asCaller(people, caller, 'read', async (db) => {
      const changeable = await changeableChannel(db, caller, id)
      return { row: changeable, found: await channelToSend(db, keyring, id) }
    })
    if (found === null) throw notFound('Alert channel')
    const message = testMessage(row.name, id, settings.publicUrl)
    const begun = performance.now()
    const lane = laneOf(id)
    const result = await sendThrough(requestWays(services), found.channel, { lane, key: randomUUID(), message })
    const latencyMs = Math.round(performance.now() - begun)
    const { delivered } = result
    const status = result.status ?? null
    await write(async (db) => {
      await noteTry(db, lane, result)
      const { name, orgId, partnerId } = row
      audit({ target: id, name, orgId, partnerId, details: { delivered, status } })
    })
    return { delivered, status, latencyMs, error: result.delivered ? null : result.error }
  },
})
