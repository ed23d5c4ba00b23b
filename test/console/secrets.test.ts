import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { acme } = stage
const client = () => signIn(stage.url, acme).then(({ accessToken }) => clientOf(stage.url, accessToken))
const hourMs = 3_600_000

test('a secret is created for a site, gets another value, and is deleted', async () => {
  const { page, complaints } = await visitorAs(acme, '/secrets')
  await page.getByRole('button', { name: 'New secret' }).first().click()
  const form = page.getByRole('dialog', { name: 'New secret' })
  await form.getByLabel('Name', { exact: true }).fill('backup.token')
  await form.getByLabel('Organization', { exact: true }).selectOption(acme.orgName)
  await form.getByLabel('Site', { exact: true }).selectOption(acme.siteName)
  await form.getByLabel('Value').fill('oven-1234')
  await form.getByRole('button', { name: 'Create secret' }).click()
  const row = page.getByRole('row').filter({ hasText: 'backup.token' })
  await row.getByText('Site', { exact: true }).waitFor()
  await row.getByRole('link', { name: acme.siteName }).waitFor()
  await row.getByRole('button', { name: /backup.token/ }).click()
  await page.getByRole('menuitem', { name: 'Replace value' }).click()
  const other = page.getByRole('dialog', { name: 'Replace the value of backup.token' })
  expect(await other.getByLabel('Value').inputValue()).toBe('')
  await expectAccessible(page)
  await other.getByLabel('Value').fill('oven-5678')
  await other.getByRole('button', { name: 'Replace value' }).click()
  await page.getByText('Value replaced').waitFor()
  expect(await page.content()).not.toMatch(/oven-(1234|5678)/)
  await page.getByLabel('Level').selectOption('Partner')
  await page.getByText('No matches').waitFor()
  await page.getByLabel('Level').selectOption('Site')
  await page.setViewportSize({ width: 360, height: 740 })
  await row
    .getByRole('button', { name: /Actions|backup.token/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Delete secret' }).click()
  const ask = page.getByRole('dialog', { name: 'Delete “backup.token”?' })
  await expectAccessible(page)
  await ask.getByRole('button', { name: 'Delete secret' }).click()
  await page.getByText('Secret deleted').waitFor()
  expect(await (await client()).secrets.secrets.list.query({ search: 'backup.token' })).toMatchObject({ data: [] })
  expect(complaints).toEqual([])
})

test('a run takes a secret by its name, starts later, and its deployment is canceled', async () => {
  const api = await client()
  await api.secrets.secrets.create.mutate({ orgId: acme.orgId, name: 'mail.password', value: 'oven-9999' })
  const script = await api.scripts.scripts.create.mutate({
    ...{ orgId: acme.orgId, name: 'Send mail', language: 'sh', content: 'true' },
    parameters: [{ name: 'password', type: 'secret', required: true }],
  })
  const { page, complaints } = await visitorAs(acme, `/scripts/${script.id}`)
  await page.getByRole('button', { name: 'Run script' }).click()
  const run = page.getByRole('dialog', { name: 'Run Send mail' })
  await run.getByLabel('Password').selectOption('mail.password')
  await run.getByRole('searchbox', { name: 'Search for devices' }).fill(acme.hostname)
  await run.getByRole('list', { name: 'Matches' }).getByRole('button').filter({ hasText: 'Device' }).click()
  const local = await page.evaluate((ms) => {
    const at = new Date(Date.now() + ms)
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }, hourMs)
  await run.getByLabel('Start').fill(local)
  await expectAccessible(page)
  await run.getByRole('button', { name: 'Schedule on 1 device' }).click()
  await page.getByRole('heading', { level: 1, name: 'Send mail' }).waitFor()
  await page.getByText('Scheduled').first().waitFor()
  const { data } = await api.deployments.deployments.list.query({ search: 'Send mail' })
  expect(data).toMatchObject([
    { status: 'scheduled', order: { parameters: { password: { secret: 'mail.password' } } } },
  ])
  await api.deployments.course.cancel.mutate({ id: data[0]?.id ?? '' })
  const sent = await api.scripts.executions.execute.mutate({
    ...{ id: script.id, deviceIds: [acme.deviceId], parameters: { password: { secret: 'mail.password' } } },
    strategy: { batches: [{ percent: 100 }], soakSeconds: 0 },
  })
  await page.goto(`/scripts/${script.id}?tab=runs`)
  await page.getByRole('row').filter({ hasText: acme.hostname }).getByRole('link', { name: 'Deployment' }).click()
  await page.waitForURL(`**/deployments/${sent.deploymentId}*`)
  expect(complaints).toEqual([])
})
