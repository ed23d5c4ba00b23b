import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, umbra, url } = stage

test('an API key is shown once, works, is rotated and is revoked', async () => {
  const { page, complaints } = await visitorAs(umbra, '/api-keys')
  const name = `Billing ${Date.now()}`
  await page.getByRole('button', { name: 'New API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'New API key' })
  await form.getByLabel('Name').fill(name)
  await form.getByRole('button', { name: 'Create key' }).click()
  await form.getByText('Select at least one permission').waitFor()
  await form.getByLabel('Search permissions').fill('see sites')
  expect(await form.getByRole('group', { name: 'Sites' }).count()).toBe(1)
  expect(await form.getByRole('group', { name: 'Devices' }).count()).toBe(0)
  await form.getByRole('checkbox', { name: /^See sites/ }).click()
  await form.getByLabel('Allowed IPs').fill('127.0.0.1')
  await form.getByRole('button', { name: 'Create key' }).click()
  const shown = page.getByRole('dialog', { name: 'Your API key' })
  const first = (await shown.locator('code').textContent()) ?? ''
  await shown.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: name })
  await row.getByText('sites:read').waitFor()
  const sitesWith = (key: string) => fetch(`${url}/api/v1/orgs/sites`, { headers: { 'x-api-key': key } })
  expect((await sitesWith(first)).status).toBe(200)

  await row.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Rotate key' }).click()
  const rotate = page.getByRole('dialog')
  await rotate.getByLabel('Previous secret expires after').selectOption('0')
  await rotate.getByRole('button', { name: 'Rotate key' }).click()
  const second = (await shown.locator('code').textContent()) ?? ''
  await shown.getByRole('button', { name: 'Done' }).click()
  expect([(await sitesWith(first)).status, (await sitesWith(second)).status]).toEqual([401, 200])

  await row.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Revoke key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByLabel('Status').selectOption({ label: 'All statuses' })
  await row.getByText('Revoked').waitFor()
  expect((await sitesWith(second)).status).toBe(401)
  expect(complaints).toEqual([])
})

test('a review is decided by keyboard and takes effect when it is completed', async () => {
  const client = clientOf(url, (await signIn(url, umbra)).accessToken)
  const { data: roles } = await client.users.users.roles.query({})
  const roleId = roles.find(({ name }) => name === 'Partner Viewer')?.id ?? ''
  const email = `leaver-${Date.now()}@umbra.test`
  await client.users.invitations.invite.mutate({ email, name: 'A Leaver', roleId })

  const { page, complaints } = await visitorAs(umbra, '/access-reviews')
  await page.getByRole('button', { name: 'Start access review' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start review', exact: true }).click()
  const leaver = page.getByRole('row').filter({ hasText: email })
  await leaver.waitFor()
  await page.getByRole('row').filter({ hasText: umbra.email }).waitFor()
  await leaver.getByRole('button', { name: 'Keep A Leaver' }).focus()
  await page.keyboard.press('r')
  const why = page.getByRole('dialog', { name: 'Revoke access of A Leaver?' })
  await why.getByLabel('Reason').fill('Left the company')
  await page.keyboard.press('Enter')
  await leaver.getByText('Revoked').waitFor()
  const pending = page.getByRole('row').filter({ hasText: 'Pending' })
  for (let left = await pending.count(); left > 0; left--) {
    const next = pending.first().getByRole('button', { name: /^Keep/ })
    await next.focus()
    await page.keyboard.press('a')
    await expect.poll(() => pending.count()).toBe(left - 1)
  }
  await page.getByRole('button', { name: 'Complete review' }).click()
  await page.getByRole('dialog').getByText('1 user loses access immediately').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Complete review' }).click()
  await page.getByText('Completed', { exact: true }).waitFor()
  const { data: members } = await client.users.users.list.query({ search: email })
  expect(members).toEqual([])
  expect(complaints).toEqual([])
})

test('a record shows each field before and after, and the export contains the filtered records', async () => {
  const client = clientOf(url, (await signIn(url, acme)).accessToken)
  const name = `Renamed ${Date.now()}`
  await client.tenancy.sites.update.mutate({ id: acme.siteId, name })
  await client.tenancy.sites.update.mutate({ id: acme.siteId, name: acme.siteName })
  const { page, complaints } = await visitorAs(acme, '/audit?action=site.update')
  await page.getByRole('button', { name: 'Site updated', exact: true }).first().click()
  const record = page.getByRole('dialog', { name: 'Site updated' })
  await record.getByRole('cell', { name }).waitFor()
  await record.getByRole('cell', { name: acme.siteName, exact: true }).waitFor()
  await record.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Export audit log' }).click()
  const entry = page.getByRole('menuitem', { name: 'CSV' })
  const [file] = await Promise.all([page.waitForEvent('download'), entry.click()])
  const [head = '', ...lines] = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/)
  expect(head).toContain('action')
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.filter((line) => !line.includes('site.update'))).toEqual([])
  expect(complaints).toEqual([])
})

test('the audit log is filtered by user and action', async () => {
  const client = clientOf(url, (await signIn(url, acme)).accessToken)
  await client.tenancy.sites.update.mutate({ id: acme.siteId, name: `${acme.siteName} ${Date.now()}` })
  await client.tenancy.sites.update.mutate({ id: acme.siteId, name: acme.siteName })
  const { page, complaints } = await visitorAs(acme, '/audit')
  await page.getByLabel('User', { exact: true }).selectOption({ label: 'Ada of Acme' })
  await page.getByLabel('Action', { exact: true }).selectOption('site.update')
  await page.waitForURL(({ searchParams }) => searchParams.has('user') && searchParams.get('action') === 'site.update')
  await page.getByRole('row').filter({ hasText: acme.siteName }).first().waitFor()
  expect(await page.getByRole('row').filter({ hasNotText: acme.email }).count()).toBe(1)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(({ search }) => search === '')
  expect(complaints).toEqual([])
})
