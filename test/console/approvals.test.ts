import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { newAdministrator, newTenant, type Tenant } from './tenants.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { admin, url, stores } = stage
const database = new pg.Pool({ connectionString: stores.system, max: 1 })
afterAll(() => database.end())

let ada: Tenant
let bob: { readonly email: string; readonly password: string }
beforeAll(async () => {
  const client = clientOf(url, (await signIn(url, admin)).accessToken)
  ada = await newTenant(client, stage.outbox, 'Twosome')
  bob = await newAdministrator(client, stage.outbox, ada.partnerId, { name: 'Bob', email: 'bob@twosome.test' })
  // A second person has been a member for seven days.
  const longAgo = `UPDATE partner_users SET created_at = now() - interval '8 days', accepted_at = now() - interval '8 days' WHERE partner_id = $1`
  await database.query(longAgo, [ada.partnerId])
  const other = { partnerId: ada.partnerId, name: 'Twosome Garage', slug: 'twosome-garage' }
  const { id: otherOrgId } = await client.tenancy.organizations.create.mutate(other)
  // A command for several organizations needs approval. Its result on the machines is not checked here.
  for (const orgId of [ada.orgId, otherOrgId])
    await database.query(
      `INSERT INTO devices (org_id, partner_id, hostname, os_type, enrolled_at) VALUES ($1, $2, 'till', 'linux', now())`,
      [orgId, ada.partnerId],
    )
  const own = clientOf(url, (await signIn(url, ada)).accessToken)
  await own.tenancy.partners.updateMe.mutate({ settings: { secondPerson: true } })
})

/** Asks for a restart of everything, and follows it to where it waits. */
async function askForRestart(page: Page): Promise<void> {
  await page.goto('/devices')
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Restart', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Restart' })
  await dialog.getByText('2 devices in 2 organizations.').waitFor()
  await dialog.getByRole('button', { name: 'Restart on 2 devices' }).click()
  const told = page.getByRole('dialog', { name: 'Waiting for approval' })
  await told.getByRole('link', { name: 'show approvals' }).click()
  await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
}
const newest = (page: Page) => page.getByRole('table', { name: 'Approvals' }).locator('[data-row]').first()

test('what one person asks for another approves, and it is on the way', async () => {
  const asking = await visitorAs(ada, '/devices')
  await askForRestart(asking.page)
  await newest(asking.page).getByText('you', { exact: true }).waitFor()
  await newest(asking.page).getByRole('button', { name: 'Restart' }).click()
  const own = asking.page.getByRole('dialog', { name: 'Restart on 2 devices' })
  const approveOwn = own.getByRole('button', { name: 'Approve and run' })
  expect(await approveOwn.getAttribute('aria-disabled')).toBe('true')
  const second = await visitorAs(bob, '/')
  await second.page.getByRole('button', { name: 'Inbox: 1 item waiting' }).click()
  await second.page.getByRole('menuitem', { name: 'Approvals: 1 waiting' }).click()
  await newest(second.page).getByText(ada.email).waitFor()
  await newest(second.page).getByRole('button', { name: 'Restart' }).click()
  const dialog = second.page.getByRole('dialog', { name: 'Restart on 2 devices' })
  await dialog.getByRole('region', { name: 'Devices' }).getByText('Twosome Garage').waitFor()
  await expectAccessible(second.page)
  await dialog.getByRole('button', { name: 'Approve and run' }).click()
  await second.page.getByText('2 commands sent').waitFor()
  await newest(second.page).getByText('Approved').waitFor()
  await asking.page.goto('/approvals?status=approved')
  await newest(asking.page).getByText('Approved').waitFor()
  expect([...asking.complaints, ...second.complaints]).toEqual([])
})

test('what is refused is not sent, and who asked for it reads why', async () => {
  const sent = async () => {
    const text = 'SELECT count(*)::int AS count FROM device_commands WHERE partner_id = $1'
    return (await database.query<{ count: number }>(text, [ada.partnerId])).rows[0]?.count
  }
  const before = await sent()
  const asking = await visitorAs(ada, '/devices')
  await askForRestart(asking.page)
  const second = await visitorAs(bob, '/approvals?status=pending')
  await newest(second.page).getByRole('button', { name: 'Restart' }).click()
  const dialog = second.page.getByRole('dialog', { name: 'Restart on 2 devices' })
  await dialog.getByLabel('Comment').fill('Not during opening hours')
  await dialog.getByRole('button', { name: 'Reject' }).click()
  await second.page.getByRole('heading', { name: 'No matches' }).waitFor()
  await asking.page.goto('/approvals?status=refused')
  await newest(asking.page).getByText('Not during opening hours').waitFor()
  expect(await sent()).toBe(before)
  expect([...asking.complaints, ...second.complaints]).toEqual([])
})
