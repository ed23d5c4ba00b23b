import { randomUUID } from 'node:crypto'
import { readAsSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { alertChannels } from '../channels.contract.ts'
import { isWanted } from './send.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const { id: channelId } = await call(here.orgAdmin, alertChannels.create, {
  ...{ orgId, name: 'Mail', type: 'email', config: { to: ['a@example.test'] }, sendResolved: true },
})

/** A group whose first message to the channel ended so. @returns whether the channel hears of its end */
async function hearsEndAfter(status: 'failed' | 'succeeded' | 'canceled'): Promise<boolean> {
  const groupId = randomUUID()
  const key = `group:${groupId}`
  await system.query(
    'INSERT INTO alert_groups (id, partner_id, org_id, key, closed_at) VALUES ($1, $2, $3, $4, now())',
    [...[groupId, here.partner.id, orgId, key]],
  )
  await system.query(
    `INSERT INTO alert_messages (partner_id, org_id, group_id, channel_id, key, kind, title, severity)
     VALUES ($1, $2, $3, $4, $5, 'alert', 'Problem', 'high')`,
    [here.partner.id, orgId, groupId, channelId, key],
  )
  await system.query(
    `INSERT INTO deliveries (partner_id, org_id, lane, key, payload, status, next_attempt_at, ended_at)
     VALUES ($1, $2, $3, $4, '{}', $5, NULL, now())`,
    [here.partner.id, orgId, `channel:${channelId}`, key, status],
  )
  const told = { title: 'Problem', severity: 'high' as const, lines: [], link: null, alerts: [] }
  return readAsSystem(system, (db) => isWanted(db, channelId, { kind: 'resolved', groupKey: groupId, ...told }))
}

it('tells the end of an alert to a channel that got a message about it, and to no other', async () => {
  expect(await hearsEndAfter('succeeded')).toBe(true)
  expect(await hearsEndAfter('failed')).toBe(false)
  expect(await hearsEndAfter('canceled')).toBe(false)
})
