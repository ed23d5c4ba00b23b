import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { acme } = stage
const absent = 'never-online'

const client = () => signIn(stage.url, acme).then(({ accessToken }) => clientOf(stage.url, accessToken))

let absentId = ''
beforeAll(async () => {
  const { enrollment } = await client()
  const device = { orgId: acme.orgId, siteId: acme.siteId, hostname: absent }
  absentId = (await enrollment.provision.create.mutate(device)).device.id
})

// Other tests count the devices of the site.
afterAll(async () => {
  const { lifecycle } = await client()
  await lifecycle.lifecycle.remove.mutate({ id: absentId })
})

test('a deployment is created, waits for a person after its first batch, and is canceled', async () => {
  const { page, complaints } = await visitorAs(acme, '/deployments')
  await page.getByRole('button', { name: 'New deployment' }).first().click()
  const form = page.getByRole('dialog', { name: 'New deployment' })
  await form.getByLabel('Name', { exact: true }).fill('Look at all')
  await form.getByLabel('Organization', { exact: true }).selectOption(acme.orgName)
  await form.getByLabel('Kind of order').selectOption('Command')
  await form.getByLabel('Command', { exact: true }).selectOption('Refresh inventory')
  for (const hostname of [acme.hostname, absent]) {
    await form.getByRole('searchbox', { name: 'Search for devices' }).fill(hostname)
    const matches = form.getByRole('list', { name: 'Matches' })
    await matches.getByRole('button').filter({ hasText: 'Device' }).click()
  }
  // The first batch: those that are online, as a new filter says.
  await form.getByRole('button', { name: 'Remove batch 3' }).click()
  await form.getByRole('button', { name: 'Remove batch 2' }).click()
  await form.getByRole('group', { name: 'Batch 1' }).getByLabel('Devices of the batch').selectOption('Filter')
  await form.getByLabel('Soak in seconds').fill('-1')
  await form.getByText('Must be at least 0').waitFor()
  await form.getByLabel('Soak in seconds').fill('0')
  await form.getByRole('button', { name: 'Add gate' }).click()
  await form.getByRole('group', { name: 'Gate 1' }).getByLabel('Condition').selectOption('A person passes it')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create deployment' }).click()
  await page.getByRole('heading', { level: 1, name: 'Look at all' }).waitFor()

  await page.getByRole('button', { name: 'Initialize' }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start deployment' }).click()
  const batches = page.getByRole('list', { name: 'Batches' })
  // The page follows the deployment by itself.
  await batches.getByRole('button', { name: 'Pass gate' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Pass gate' }).click()
  await batches.getByText('Passed', { exact: true }).waitFor()
  await page.getByRole('row').filter({ hasText: absent }).getByText('Offline').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  const cancel = page.getByRole('dialog', { name: 'Cancel “Look at all”?' })
  await cancel.getByLabel('Stop devices that run it').check()
  await cancel.getByRole('button', { name: 'Cancel deployment' }).click()
  await page.getByRole('row').filter({ hasText: absent }).getByText('Canceled').waitFor()
  expect(complaints).toEqual([])
})

test('a draft is edited with all that was saved, and deleted', async () => {
  const { deployments, scripts } = await client()
  const script = await scripts.scripts.create.mutate({
    ...{ orgId: acme.orgId, name: 'Disk of', language: 'sh', content: 'df "$PARAM_PATH"' },
    parameters: [{ name: 'path', type: 'text', default: '/' }],
  })
  const { id } = await deployments.deployments.create.mutate({
    ...{ orgId: acme.orgId, name: 'Nightly disks', targets: { orgIds: [acme.orgId] } },
    order: { kind: 'script', scriptId: script.id, parameters: { path: '/srv' } },
    strategy: {
      batches: [{ count: 1 }, { percent: 100 }],
      gates: [
        { type: 'alerts', severity: 'medium', max: 2 },
        { type: 'metric', field: 'load1m', worseByPercent: 30 },
      ],
      maxErrors: { count: 3 },
    },
  })
  const before = await deployments.deployments.get.query({ id })
  const { page, complaints } = await visitorAs(acme, `/deployments/${id}`)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Edit Nightly disks' })
  await form.getByRole('textbox', { name: /^Path/ }).waitFor()
  await form.getByLabel('Description').fill('Each night')
  await form.getByRole('button', { name: 'Save deployment' }).click()
  await form.waitFor({ state: 'detached' })
  const { order, targets, strategy, description } = await deployments.deployments.get.query({ id })
  expect({ order, targets, strategy }).toEqual({
    ...{ order: before.order, targets: before.targets, strategy: before.strategy },
  })
  expect(description).toBe('Each night')
  await expectAccessible(page)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/deployments?q=Nightly')
  await page.getByRole('row').filter({ hasText: 'Nightly disks' }).getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete deployment' }).click()
  await page.getByText('Deployment deleted').waitFor()
  expect((await deployments.deployments.list.query({ search: 'Nightly' })).data).toEqual([])
  expect(complaints).toEqual([])
})
