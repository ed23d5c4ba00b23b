import { randomUUID } from 'node:crypto'
import { isOneOf } from '@muster/db/conditions.ts'
import { asCaller, type Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import { isOtherOrigin, requireAllowedAddress } from '@muster/kit/network/outgoing.ts'
import { type Call, implement } from '../../operation.ts'
import {
  closeLane,
  connectionsOf,
  dropLane,
  newSigningSecret,
  noteTry,
  reopenLane,
  setLane,
} from '../../platform/deliveries/index.ts'
import {
  requireWholeOwner,
  requireWorkingOrganization,
  requireWorkingTenant,
  type Tenant,
  tenantOf,
} from '../../tenancy/tenancy/index.ts'
import { sealHeaders, sealSecret } from './secrets.ts'
import { endpointOf, postEvent } from './webhook-sender.ts'
import { webhooks as contract, Webhook } from './webhooks.contract.ts'
import { changeableWebhook, columns, laneOf, readable, webhookById } from './webhooks.queries.ts'

const previousSecretMs = 86_400_000
const byUser = 'A user disabled it'

/** @throws VALIDATION_ERROR when the filter names organizations whose events the webhook cannot get */
async function requireOrganizationsOf(db: Db, tenant: Pick<Tenant, 'partnerId' | 'orgId'>, orgIds: readonly string[]) {
  const named = [...new Set(orgIds)]
  if (named.length === 0) return
  const found = await db
    .selectFrom('organizations')
    .select('id')
    .where(isOneOf('id', named))
    .where('partnerId', '=', tenant.partnerId)
    .where('deletedAt', 'is', null)
    .$if(tenant.orgId !== null, (query) => query.where('id', '=', tenant.orgId ?? ''))
    .execute()
  if (found.length < named.length)
    throw invalid('filter.orgIds: an organization does not exist or has no events for this webhook')
}

const laneFor = ({ id, partnerId, orgId, concurrency }: Webhook) => ({
  lane: laneOf(id),
  kind: 'webhook',
  partnerId,
  orgId,
  concurrency,
})

type Changes = Call<{
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly rotateSecret?: true | undefined
}>

/** The stored form of changed headers, and of a new secret beside the previous one. */
async function sealedChanges({ db, services, input }: Changes, id: string) {
  const { keyring, clock } = services
  const { headers, rotateSecret } = input
  const secret = rotateSecret ? newSigningSecret() : undefined
  const before = await db.selectFrom('webhooks').select('secret').where('id', '=', id).executeTakeFirst()
  if (before === undefined) throw notFound('Webhook')
  return {
    secret,
    columns: {
      ...(headers === undefined
        ? {}
        : { headers: sealHeaders(keyring, id, headers), headerNames: Object.keys(headers) }),
      ...(secret === undefined
        ? {}
        : {
            secret: sealSecret(keyring, id, secret),
            previousSecret: before.secret,
            previousUntil: new Date(clock.now() + previousSecretMs).toISOString(),
          }),
    },
  }
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, orgId, status } }) {
    const found = db
      .selectFrom('webhooks')
      .where(readable(caller))
      .$if(orgId !== undefined, (query) => query.where('orgId', '=', orgId ?? ''))
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
    const { data, pagination } = await paged(found.select(columns).orderBy('name').orderBy('id'), { page, limit })
    return { data: data.map((row) => Webhook.parse(row)), pagination }
  },

  async create({ caller, input, db, services, audit }) {
    const { headers, filter, partnerId: _partner, orgId: _organization, ...given } = input
    await requireAllowedAddress(input.url, services.settings.outgoing.allowedNetworks)
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'webhook')
    await requireWorkingTenant(db, caller, tenant)
    await requireOrganizationsOf(db, tenant, filter.orgIds)
    const { partnerId, orgId } = tenant
    const id = randomUUID()
    const secret = newSigningSecret()
    const made = await db
      .insertInto('webhooks')
      .values({
        ...given,
        id,
        partnerId,
        orgId,
        filter: JSON.stringify(filter),
        headerNames: Object.keys(headers),
        headers: sealHeaders(services.keyring, id, headers),
        secret: sealSecret(services.keyring, id, secret),
        createdBy: caller.userId,
      })
      .returning(columns)
      .executeTakeFirstOrThrow()
    const webhook = Webhook.parse(made)
    await setLane(db, laneFor(webhook))
    audit({ target: id, name: webhook.name, orgId, partnerId, after: webhook })
    return { ...webhook, secret }
  },

  async get({ caller, db, input }) {
    return webhookById(db, caller, input.id)
  },

  async update(call) {
    const { caller, db, services, audit } = call
    const { id, headers, rotateSecret, filter, status, ...given } = call.input
    if (given.url !== undefined) await requireAllowedAddress(given.url, services.settings.outgoing.allowedNetworks)
    // Before it is read, so that the URL does not change beside its headers.
    await db.selectFrom('webhooks').select('id').where('id', '=', id).forUpdate().execute()
    const before = await changeableWebhook(db, caller, id)
    await requireWorkingOrganization(db, caller, before.orgId)
    await requireOrganizationsOf(db, before, filter?.orgIds ?? [])
    const goesElsewhere = given.url !== undefined && isOtherOrigin(before.url, given.url)
    if (goesElsewhere && headers === undefined && before.headerNames.length > 0)
      throw invalid('headers: are required again, or {}, because the URL leads to another server')
    const sealed = await sealedChanges(call, id)
    const made = await db
      .updateTable('webhooks')
      .set({
        ...given,
        ...sealed.columns,
        ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
        ...(status === undefined ? {} : { status, disabledReason: status === 'active' ? null : byUser }),
      })
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirstOrThrow()
    const after = Webhook.parse(made)
    const { orgId, partnerId, name } = after
    if (after.concurrency !== before.concurrency) await setLane(db, laneFor(after))
    if (after.status === 'disabled' && before.status === 'active') await closeLane(db, laneOf(id))
    if (after.status === 'active' && (before.status === 'disabled' || after.url !== before.url))
      await reopenLane(db, laneOf(id))
    const details = rotateSecret === true ? { rotatedSecret: true } : {}
    audit({ target: id, name, orgId, partnerId, before, after, details })
    return sealed.secret === undefined ? after : { ...after, secret: sealed.secret }
  },

  async remove({ caller, db, input, audit }) {
    const before = await changeableWebhook(db, caller, input.id)
    await requireWorkingOrganization(db, caller, before.orgId)
    const { numDeletedRows } = await db.deleteFrom('webhooks').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Webhook')
    await dropLane(db, laneOf(before.id))
    audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },

  async test({ caller, input: { id }, services, write, audit }) {
    const { people, keyring, clock } = services
    const { webhook, endpoint } = await asCaller(people, caller, 'read', async (db) => {
      const found = await changeableWebhook(db, caller, id)
      await requireWorkingOrganization(db, caller, found.orgId)
      return { webhook: found, endpoint: await endpointOf(db, keyring, id, clock.now()) }
    })
    if (endpoint === null) throw notFound('Webhook')
    const at = new Date(clock.now()).toISOString()
    const begun = performance.now()
    const { orgId, partnerId, name } = webhook
    const event = { id: randomUUID(), type: 'webhook.test', timestamp: at, orgId, data: { webhookId: id } }
    const result = await postEvent(connectionsOf(services), laneOf(id), endpoint, event)
    const durationMs = Math.round(performance.now() - begun)
    await write(async (db) => {
      await noteTry(db, laneOf(id), result)
      audit({
        target: id,
        name,
        orgId,
        partnerId,
        details: { status: result.status ?? null, delivered: result.delivered },
      })
    })
    const { status = null, body = null } = result
    return { at, status, durationMs, error: result.delivered ? null : result.error, body }
  },
})
