import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { newMember } from './tenants.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { umbra, stores } = stage

/** A device that is offline, until the test ends. */
async function offlineDevice(hostname: string): Promise<string> {
  const database = new pg.Pool({ connectionString: stores.system, max: 1 })
  const { rows } = await database.query<{ id: string }>(
    `WITH device AS (
        INSERT INTO devices (org_id, partner_id, site_id, hostname, os_type, enrolled_at)
        VALUES ($1, $2, $3, $4, 'linux', now()) RETURNING id, org_id, partner_id)
      INSERT INTO device_state (device_id, org_id, partner_id) SELECT id, org_id, partner_id FROM device RETURNING device_id AS id`,
    [umbra.orgId, umbra.partnerId, umbra.siteId, hostname],
  )
  const id = rows[0]?.id ?? ''
  onTestFinished(async () => {
    await database.query('DELETE FROM devices WHERE id = $1', [id])
    await database.end()
  })
  return id
}

/** A receiver on this machine that counts requests. */
async function receiver() {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    request.resume()
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, count: () => requests }
}

test('a webhook is created for an organization with a filter and a secret that is shown once, and tested', async () => {
  const peer = await receiver()
  const { page, complaints } = await visitorAs(umbra, '/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  const form = page.getByRole('dialog', { name: 'New webhook' })
  await form.getByLabel('Name').fill('Tickets')
  await form.getByLabel('Address').fill(peer.url)
  await form
    .getByRole('group', { name: 'Device' })
    .getByRole('checkbox', { name: /All device events/ })
    .click()
  await form.getByText('device.offline').waitFor()
  await form.getByRole('checkbox', { name: 'Critical' }).click()
  await form.getByLabel('Organization', { exact: true }).selectOption(umbra.orgName)
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const shown = page.getByRole('dialog', { name: 'Signing secret' })
  expect(await shown.locator('code').textContent()).toMatch(/^whsec_/)
  await shown.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Tickets' })
  await row.getByText('All device events').waitFor()
  await row.getByRole('link', { name: umbra.orgName }).waitFor()
  const client = clientOf(stage.url, (await signIn(stage.url, umbra)).accessToken)
  const [made] = (await client.webhooks.webhooks.list.query({})).data
  expect(made).toMatchObject({ orgId: umbra.orgId, filter: { orgIds: [], severities: ['critical'] } })
  await row.getByRole('link', { name: 'Tickets' }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('The endpoint answered 200').waitFor()
  expect(peer.count()).toBe(1)
  expect(complaints).toEqual([])
})

test('a user who cannot edit settings gets no form of a new webhook', async () => {
  const client = clientOf(stage.url, (await signIn(stage.url, umbra)).accessToken)
  const reader = await newMember(client, stage.outbox, 'Partner Viewer', 'Rea Reader')
  const { page } = await visitorAs(reader, '/webhooks?form=new')
  await page.getByRole('button', { name: 'New webhook', disabled: true }).first().waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('an alert channel is created and tested', async () => {
  const peer = await receiver()
  const { page, complaints } = await visitorAs(umbra, '/alerts/channels')
  await page.getByRole('button', { name: 'New channel' }).first().click()
  const form = page.getByRole('dialog', { name: 'New alert channel' })
  await form.getByLabel('Name').fill('On call')
  await form.getByLabel('Type').selectOption('slack')
  await form.getByLabel('Webhook address').fill(peer.url)
  await form.getByRole('button', { name: 'Create channel' }).click()
  const row = page.getByRole('row').filter({ hasText: 'On call' })
  await row.getByText('Untested').waitFor()
  await row.getByRole('button', { name: 'Actions for On call' }).click()
  await page.getByRole('menuitem', { name: 'Send test' }).click()
  await row.getByText('OK', { exact: true }).waitFor()
  expect(peer.count()).toBe(1)
  expect(complaints).toEqual([])
})

test('an action that fails says why, and links to the cause and remedy', async () => {
  const { url } = stage
  const client = clientOf(url, (await signIn(url, umbra)).accessToken)
  const { id } = await client.alertChannels.channels.create.mutate({
    name: 'Deleted meanwhile',
    type: 'email',
    config: { to: ['ops@example.test'] },
  })
  const { page, context } = await visitorAs(umbra, '/alerts/channels')
  await page.getByRole('button', { name: 'Actions for Deleted meanwhile' }).click()
  await client.alertChannels.channels.remove.mutate({ id })
  await page.getByRole('menuitem', { name: 'Send test' }).click()
  const [reference] = await Promise.all([context.waitForEvent('page'), page.getByText('About this error').click()])
  await reference.getByRole('article', { name: 'NOT_FOUND' }).waitFor()
})

test('one entry of the navigation is the current page', async () => {
  const { page } = await visitorAs(umbra, '/alerts/channels')
  const entry = page.getByRole('navigation', { name: 'Main' }).locator('li li a[aria-current=page]')
  await entry.first().waitFor()
  expect(await entry.allInnerTexts()).toEqual(['Channels'])
})

test('notifications have preferences', async () => {
  const { page, complaints } = await visitorAs(umbra, '/notifications')
  await page.getByText('No notifications').waitFor()
  await page.getByRole('button', { name: 'Preferences' }).click()
  const form = page.getByRole('dialog', { name: 'Notification preferences' })
  await form.getByLabel('Lowest priority').selectOption('high')
  await form.getByRole('button', { name: 'Save preferences' }).click()
  await page.getByText('Preferences saved').waitFor()
  expect(complaints).toEqual([])
})

test('a user waits for an offline device, and stops in the list of device watches', async () => {
  const id = await offlineDevice('sleeper')
  const { page, complaints } = await visitorAs(umbra, `/devices/${id}`)
  await page.getByRole('button', { name: 'Notify me' }).click()
  await page.getByRole('button', { name: 'Stop watching' }).waitFor()
  await page.goto('/notifications?tab=watches')
  const row = page.getByRole('row').filter({ hasText: 'sleeper' })
  await row.getByText(umbra.siteName).waitFor()
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Stop watching' }).click()
  await page.getByText('No device watches').waitFor()
  expect(complaints).toEqual([])
})
