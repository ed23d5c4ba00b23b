import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, umbra } = stage

/** A port of this machine that takes connections. */
async function openPort(): Promise<number> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

test('creates a monitor that a device checks, and tests, pauses, resumes and deletes it', async () => {
  const port = await openPort()
  const { page, complaints } = await visitorAs(acme, '/monitors')
  await page.getByText('No monitors yet').waitFor()
  await page.getByRole('button', { name: 'New monitor' }).first().click()
  const form = page.getByRole('dialog', { name: 'New monitor' })
  await form.getByLabel('Name').fill('Door')
  await form.getByLabel('Type').selectOption('tcp')
  await form.getByLabel('Organization').selectOption({ label: acme.orgName })
  await form.getByLabel('Host').fill('127.0.0.1')
  await form.getByLabel('Port').fill(String(port))
  await form.getByLabel('Interval (seconds)').fill('10')
  await form.getByLabel('Search for a probe').fill(acme.hostname)
  await form.getByRole('button', { name: acme.hostname }).click()
  await form.getByRole('button', { name: 'Create monitor' }).click()
  await page.getByRole('link', { name: 'Door' }).click()
  await page.getByText('Online', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  const answers = page.getByRole('dialog', { name: 'Check results' })
  await answers.getByText('OK', { exact: true }).waitFor()
  await answers.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Edit monitor' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Door' })
  await edit.getByLabel('Expected text').fill('welcome')
  await edit.getByRole('button', { name: 'Test', exact: true }).click()
  await edit.getByText('Failed', { exact: true }).waitFor()
  await edit.getByRole('button', { name: 'Cancel' }).click()
  await page.goto('/monitors?tab=dashboard')
  await page.getByRole('link', { name: 'Door' }).click()
  await page.getByRole('button', { name: 'Pause monitor' }).click()
  await page.getByText('Paused', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Resume monitor' }).click()
  await page.getByRole('button', { name: 'Pause monitor' }).waitFor()
  await page.getByRole('button', { name: 'Actions for Door' }).click()
  await page.getByRole('menuitem', { name: 'Delete monitor' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete monitor' }).click()
  await page.getByText('No monitors yet').waitFor()
  expect(complaints).toEqual([])
})

test('adds, edits and deletes an alert rule of a monitor', async () => {
  const client = clientOf(stage.url, (await signIn(stage.url, umbra)).accessToken)
  const target = 'https://shop.example.com'
  const monitor = await client.monitors.monitors.create.mutate({
    orgId: umbra.orgId,
    name: 'Shop',
    type: 'http',
    target,
    config: { headers: { Authorization: 'Bearer sesame' } },
  })
  const { page, complaints } = await visitorAs(umbra, `/monitors/${monitor.id}`)
  const rules = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Alert rules' }) })
  await rules.getByText('Offline', { exact: true }).waitFor()
  await rules.getByRole('button', { name: 'New alert rule' }).click()
  const form = page.getByRole('dialog', { name: 'New alert rule' })
  await form.getByLabel('Condition').selectOption('responseTime')
  await form.getByLabel('Threshold (milliseconds)').fill('500')
  await form.getByRole('button', { name: 'Create alert rule' }).click()
  await rules.getByRole('button', { name: 'Actions for Slower than 500 ms' }).click()
  await page.getByRole('menuitem', { name: 'Edit alert rule' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit alert rule' })
  await edit.getByLabel('Rounds in a row').fill('3')
  await edit.getByRole('button', { name: 'Save alert rule' }).click()
  await rules.getByText('3 rounds in a row').waitFor()
  await rules.getByRole('button', { name: 'Actions for Slower than 500 ms' }).click()
  await page.getByRole('menuitem', { name: 'Delete alert rule' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete alert rule' }).click()
  await rules.getByText('Slower than 500 ms').waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

test('shows the names of stored headers and keeps their values', async () => {
  const client = clientOf(stage.url, (await signIn(stage.url, umbra)).accessToken)
  const { id } = await client.monitors.monitors.create.mutate({
    orgId: umbra.orgId,
    name: 'Portal',
    type: 'http',
    target: 'https://portal.example.com',
    config: { headers: { Authorization: 'Bearer sesame' } },
  })
  const { page, complaints } = await visitorAs(umbra, `/monitors/${id}`)
  await page.getByRole('button', { name: 'Edit monitor' }).click()
  const form = page.getByRole('dialog', { name: 'Edit Portal' })
  await form.getByText('Stored: Authorization.').waitFor()
  expect(await page.content()).not.toContain('sesame')
  await form.getByLabel('Interval (seconds)').fill('120')
  await form.getByRole('button', { name: 'Save monitor' }).click()
  await form.waitFor({ state: 'detached' })
  const saved = await client.monitors.monitors.get.query({ id })
  expect([saved.intervalSeconds, saved.config.headerNames]).toEqual([120, ['Authorization']])
  expect(complaints).toEqual([])
})
