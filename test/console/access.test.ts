import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, umbra, url } = stage

test('an API key is shown once, works, gets another secret, and is revoked', async () => {
  const { page, complaints } = await visitorAs(umbra, '/api-keys')
  const name = `Billing ${Date.now()}`
  await page.getByRole('button', { name: 'New API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'New API key' })
  await form.getByLabel('Name').fill(name)
  await form.getByRole('button', { name: 'Make the key' }).click()
  await form.getByText('Choose at least one permission').waitFor()
  await form.getByRole('checkbox', { name: /^See sites/ }).click()
  await form.getByLabel('From these addresses only').fill('127.0.0.1')
  await form.getByRole('button', { name: 'Make the key' }).click()
  const shown = page.getByRole('dialog', { name: 'Your API key' })
  const first = (await shown.locator('code').textContent()) ?? ''
  await shown.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: name })
  await row.getByText('sites:read').waitFor()
  const sitesWith = (key: string) => fetch(`${url}/api/v1/orgs/sites`, { headers: { 'x-api-key': key } })
  expect((await sitesWith(first)).status).toBe(200)

  await row.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Replace the secret' }).click()
  const rotate = page.getByRole('dialog')
  await rotate.getByLabel('The present secret').selectOption({ label: 'Not at all: it ends now' })
  await rotate.getByRole('button', { name: 'Replace' }).click()
  const second = (await shown.locator('code').textContent()) ?? ''
  await shown.getByRole('button', { name: 'Done' }).click()
  expect([(await sitesWith(first)).status, (await sitesWith(second)).status]).toEqual([401, 200])

  await row.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('Revoked').waitFor()
  expect((await sitesWith(second)).status).toBe(401)
  expect(complaints).toEqual([])
})

test('a review is gone through by the keyboard and takes effect when it is completed', async () => {
  const client = clientOf(url, (await signIn(url, umbra)).accessToken)
  const { data: roles } = await client.users.users.roles.query({})
  const roleId = roles.find(({ name }) => name === 'Partner Viewer')?.id ?? ''
  const email = `leaver-${Date.now()}@umbra.test`
  await client.users.invitations.invite.mutate({ email, name: 'A Leaver', roleId })

  const { page, complaints } = await visitorAs(umbra, '/access-reviews')
  await page.getByRole('button', { name: 'Start a review' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
  const leaver = page.getByRole('row').filter({ hasText: email })
  await leaver.waitFor()
  await page.getByRole('row').filter({ hasText: umbra.email }).waitFor()
  await leaver.getByRole('button', { name: 'Keep A Leaver' }).focus()
  await page.keyboard.press('r')
  const why = page.getByRole('dialog', { name: 'Revoke the access of A Leaver?' })
  await why.getByLabel('Why').fill('Left the company')
  await page.keyboard.press('Enter')
  await leaver.getByText('Loses access').waitFor()
  const pending = page.getByRole('row').filter({ hasText: 'Not decided' })
  for (let left = await pending.count(); left > 0; left--) {
    const next = pending.first().getByRole('button', { name: /^Keep/ })
    await next.focus()
    await page.keyboard.press('a')
    await expect.poll(() => pending.count()).toBe(left - 1)
  }
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByRole('dialog').getByText('1 membership is taken away at once').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
  await page.getByText('Completed', { exact: true }).waitFor()
  const { data: members } = await client.users.users.list.query({ search: email })
  expect(members).toEqual([])
  expect(complaints).toEqual([])
})

test('a record shows each field before and after, and the file is exactly what the filters leave', async () => {
  const client = clientOf(url, (await signIn(url, acme)).accessToken)
  const name = `Renamed ${Date.now()}`
  await client.tenancy.sites.update.mutate({ id: acme.siteId, name })
  await client.tenancy.sites.update.mutate({ id: acme.siteId, name: acme.siteName })
  const { page, complaints } = await visitorAs(acme, '/audit?action=site.update')
  await page.getByRole('button', { name: 'Site update', exact: true }).first().click()
  const record = page.getByRole('dialog', { name: 'Site update' })
  await record.getByRole('cell', { name }).waitFor()
  await record.getByRole('cell', { name: acme.siteName, exact: true }).waitFor()
  await record.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Export' }).click()
  const entry = page.getByRole('menuitem', { name: 'As CSV' })
  const [file] = await Promise.all([page.waitForEvent('download'), entry.click()])
  const [head = '', ...lines] = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/)
  expect(head).toContain('action')
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.filter((line) => !line.includes('site.update'))).toEqual([])
  expect(complaints).toEqual([])
})
