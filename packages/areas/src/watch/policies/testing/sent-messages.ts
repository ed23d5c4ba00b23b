// Raises alerts, lets time pass, and reads what channels get. Messages of all tenants are sent together, so that files take turns.
import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll } from 'vitest'
import type { Delivery } from '../../../background/delivery-kind.ts'
import { alerts } from '../../alerts/alerts.contract.ts'
import { clearAlerts, raiseAlerts } from '../../alerts/index.ts'
import { channelDeliveries } from '../../channels/channel-sender.ts'
import { alertChannels } from '../../channels/channels.contract.ts'
import { Queued } from '../../channels/sending/send.ts'
import { dispatch } from '../dispatch.jobs.ts'
import { escalate } from '../failures.followers.ts'
import { policies } from '../policies.contract.ts'
import { routeEvents } from './route-events.ts'

/** What the functions below act on. */
async function setUp() {
  const { system } = await testServices()
  const turn = await system.connect()
  await turn.query('SET statement_timeout = 0; SET lock_timeout = 0')
  await turn.query(`SELECT pg_advisory_lock(hashtextextended('tests that send messages', 0))`)
  afterAll(() => turn.release(true))
  const parts = await testWorkerParts()
  const here = await world()
  const orgId = here.org.id
  const partnerId = here.partner.id
  const devices = await enrolled(here.partnerAdmin, { orgId }, 'one', 'two', 'three', 'four', 'five', 'six', 'seven')
  return { system, parts, here, orgId, partnerId, devices }
}
type Setup = Awaited<ReturnType<typeof setUp>>

function acting({ system, here, orgId, partnerId, devices }: Setup) {
  const [deviceId = ''] = devices
  async function channel(type: 'email' | 'sms' = 'email', to = ['alerts@example.test']): Promise<string> {
    const config = { to }
    return (
      await call(here.orgAdmin, alertChannels.create, {
        orgId,
        name: `Channel ${randomUUID()}`,
        type,
        config,
        sendResolved: true,
      })
    ).id
  }
  const pager = async (): Promise<string> =>
    (
      await call(here.orgAdmin, alertChannels.create, {
        ...{ orgId, name: `Pager ${randomUUID()}`, type: 'pagerduty' as const, config: { routingKey: 'key' } },
        sendResolved: true,
      })
    ).id
  let count = 0
  async function raise(
    severity: 'critical' | 'high' | 'medium' | 'low' | 'info',
    more: object = {},
  ): Promise<{ id: string; key: string }> {
    const key = `policy:${++count}:${deviceId}`
    const given = {
      source: 'system' as const,
      key,
      partnerId,
      orgId,
      deviceId,
      severity,
      title: `Problem ${count}`,
      message: 'Broken',
      ...more,
    }
    const { ids } = await asSystem(system, (db) => raiseAlerts(db, [given]))
    await routeEvents(system, ids.values())
    return { id: ids.get(key) ?? '', key }
  }
  async function clear(key: string, id: string) {
    await asSystem(system, (db) => clearAlerts(db, [{ source: 'system', key }]))
    await routeEvents(system, [id])
  }
  const step = (channelId: string, afterMinutes = 0) => ({ afterMinutes, channelIds: [channelId] })
  const create = (more: object) => call(here.orgAdmin, policies.create, { orgId, name: 'Policy', ...more })
  const severities = (severity: string) => ({ match: { severities: [severity] } })
  const groupOf = async (id: string) => (await call(here.orgAdmin, alerts.get, { id })).groupId ?? ''
  return { channel, pager, raise, clear, step, create, severities, groupOf }
}

function passing({ system }: Setup) {
  /** Lets this much time pass for all groups. */
  const pass = (seconds: number) =>
    system.query(
      `UPDATE alert_groups SET opened_at = opened_at - $1::interval, notify_at = notify_at - $1::interval, step_at = step_at - $1::interval,
     repeat_at = repeat_at - $1::interval, notified_at = notified_at - $1::interval, loop_began_at = loop_began_at - $1::interval`,
      [`${seconds} seconds`],
    )
  const passMessages = (seconds: number) =>
    system.query(`UPDATE alert_messages SET at = at - $1::interval`, [`${seconds} seconds`])
  const send = () => dispatch(system, 'https://muster.test')
  return { pass, passMessages, send }
}

function reading({ system, parts }: Setup) {
  const sentTo = async (channelId: string) =>
    (
      await system.query<{ kind: string; title: string }>(
        `SELECT payload -> 'message' ->> 'kind' AS kind, payload -> 'message' ->> 'title' AS title FROM deliveries WHERE lane = $1 ORDER BY created_at, key`,
        [`channel:${channelId}`],
      )
    ).rows
  const kindsTo = async (channelId: string) => (await sentTo(channelId)).map(({ kind }) => kind)
  const deliveriesTo = async (channelId: string) =>
    (
      await system.query<Delivery>(
        `SELECT id, lane, key, partner_id AS "partnerId", org_id AS "orgId", payload, tries FROM deliveries
         WHERE lane = $1 ORDER BY created_at, key`,
        [`channel:${channelId}`],
      )
    ).rows
  const messagesTo = async (channelId: string) =>
    (await deliveriesTo(channelId)).map(({ payload }) => Queued.parse(payload).message)
  /** By kind and incident. */
  const incidentsOf = async (channelId: string) =>
    (await messagesTo(channelId)).map(({ kind, groupKey }) => `${kind} ${groupKey}`).toSorted()
  /** Ends the deliveries of a channel in vain, and hands the events about it to the policies. */
  async function fail(channelId: string) {
    const { rows } = await system.query(
      `UPDATE deliveries SET status = 'failed', ended_at = now(), next_attempt_at = NULL WHERE lane = $1 AND status = 'pending'
   RETURNING id, lane, key, partner_id AS "partnerId", org_id AS "orgId", payload, tries`,
      [`channel:${channelId}`],
    )
    await asSystem(system, async (db) =>
      channelDeliveries.ended?.(
        db,
        rows.map((delivery) => ({ delivery, status: 'failed' as const, error: 'gone' })),
        parts,
      ),
    )
    const events = await system.query<{ data: { channelId: string; key: string } }>(
      `SELECT data FROM events WHERE type = 'alert_channel.failed' AND data ->> 'channelId' = $1`,
      [channelId],
    )
    await asSystem(system, (db) =>
      escalate(
        db,
        events.rows.map(({ data }) => data),
      ),
    )
  }
  return { sentTo, kindsTo, deliveriesTo, messagesTo, incidentsOf, fail }
}

/** For one test file. */
export async function messaging() {
  const setup = await setUp()
  return { ...setup, ...acting(setup), ...passing(setup), ...reading(setup) }
}
