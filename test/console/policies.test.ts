import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { acme } = stage
const client = () => signIn(stage.url, acme).then(({ accessToken }) => clientOf(stage.url, accessToken))

/** Chooses the device in the picker with this label. */
async function pickDevice(form: ReturnType<Page['getByRole']>, label: string) {
  await form.getByRole('searchbox', { name: label }).fill(acme.hostname)
  const matches = form.getByRole('list', { name: 'Matches' })
  await matches.getByRole('button').filter({ hasText: 'Device' }).click()
}

/** Deletes the policies with this name when the test ends. */
function forget(search: string) {
  onTestFinished(async () => {
    const api = await client()
    const { data } = await api.policies.policies.list.query({ search })
    for (const { id } of data) await api.policies.policies.remove.mutate({ id })
  })
}

test('a policy is created and activated, and its violation shows what is expected and what there is', async () => {
  forget('Bakery baseline')
  const { page, complaints } = await visitorAs(acme, '/policies')
  await page.getByRole('button', { name: 'New policy' }).first().click()
  const form = page.getByRole('dialog', { name: 'New configuration policy' })
  await form.getByLabel('Name', { exact: true }).first().fill('Bakery baseline')
  await form.getByLabel('Organization', { exact: true }).selectOption(acme.orgName)
  await form.getByLabel('Mode', { exact: true }).selectOption('Warn')
  await pickDevice(form, 'Search for assigned to')
  const first = form.getByRole('group', { name: 'Rule 1' })
  await first.getByLabel('Type').selectOption('Operating system version')
  await first.getByLabel('Oldest version').fill('999')
  await first.getByLabel('Key', { exact: true }).fill('Not a key')
  await form.getByRole('button', { name: 'Add rule' }).click()
  const second = form.getByRole('group', { name: 'Rule 2' })
  await second.getByLabel('Type').selectOption('File')
  await second.getByLabel('Path').fill('/etc/hostname')
  await second.getByLabel('Mode').fill('999')
  await form.getByRole('button', { name: 'Create policy' }).click()
  await first.getByText('must consist of lower-case letters').waitFor()
  await second.getByText('must be three or four octal digits').waitFor()
  await expectAccessible(page)
  await first.getByLabel('Key', { exact: true }).fill('os')
  await second.getByLabel('Mode').fill('')
  await second.getByLabel('Key', { exact: true }).fill('hostname')
  await form.getByRole('button', { name: 'Create policy' }).click()
  await page.getByRole('heading', { level: 1, name: 'Bakery baseline' }).waitFor()
  await page.getByText('Operating system 999 or later').waitFor()
  await page.getByRole('button', { name: 'Activate policy' }).click()
  const confirm = page.getByRole('dialog', { name: 'Activate “Bakery baseline”?' })
  await confirm.getByRole('button', { name: 'Activate policy' }).click()
  await page.getByRole('link', { name: 'Compliance' }).click()
  const row = page.getByRole('row').filter({ hasText: acme.hostname })
  await row.getByText('Not compliant').waitFor()
  await expectAccessible(page)
  await row.getByRole('button', { name: /999 or later/ }).click()
  const details = page.getByRole('dialog', { name: acme.hostname })
  await details.getByText('999 or later').waitFor()
  expect(await details.getByRole('definition').last().textContent()).toMatch(/^\d/)
  await expectAccessible(page)
  await details.getByRole('button', { name: 'Close' }).click()
  await page.goto('/alerts')
  await page.getByRole('link', { name: `Bakery baseline: ${acme.hostname} does not comply` }).click()
  await page.getByRole('link', { name: 'Show policy' }).click()
  await page.getByRole('heading', { level: 1, name: 'Bakery baseline' }).waitFor()
  expect(complaints).toEqual([])
})

test('an exception exempts the device, and the device says which rule holds and why', async () => {
  forget('Why ')
  const api = await client()
  const rule = { key: 'why-os', type: 'os.version' as const }
  const wide = await api.policies.policies.create.mutate({
    ...{ name: 'Why wide', rules: [{ ...rule, min: '1' }] },
    assignments: [{ level: 'partner', id: acme.partnerId }],
  })
  const near = await api.policies.policies.create.mutate({
    ...{ orgId: acme.orgId, name: 'Why near', rules: [{ ...rule, min: '998' }] },
    assignments: [{ level: 'device', id: acme.deviceId }],
  })
  for (const { id } of [wide, near]) await api.policies.policies.activate.mutate({ id })
  const { page, complaints } = await visitorAs(acme, `/policies/${near.id}?tab=exceptions`)
  await page.getByRole('button', { name: 'Add exception' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add exception' })
  await pickDevice(form, 'Search for device or group')
  await form.getByLabel('Rule').selectOption('why-os: Operating system 998 or later')
  await form.getByLabel('Reason').fill('It is replaced in March')
  await form.getByLabel('Expires').fill('2020-01-01T00:00')
  await form.getByRole('button', { name: 'Add exception' }).click()
  await form.getByText('must be in the future', { exact: true }).waitFor()
  await expectAccessible(page)
  await form.getByLabel('Expires').fill('')
  await form.getByRole('button', { name: 'Add exception' }).click()
  await page.getByRole('row').filter({ hasText: 'It is replaced in March' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Compliance' }).click()
  await page.getByRole('row').filter({ hasText: acme.hostname }).getByText('Exempt', { exact: true }).waitFor()
  await page.goto(`/devices/${acme.deviceId}?tab=policies`)
  const policies = page.getByRole('list', { name: 'Policies', exact: true })
  await policies.getByRole('listitem').filter({ hasText: 'Why near' }).getByText('Exempt', { exact: true }).waitFor()
  const rules = page.getByRole('list', { name: 'Rules in effect' })
  await rules.getByText('It is assigned nearer to the device').waitFor()
  await rules.getByText(/Replaces “Operating system 1 or later” from Why wide \(partner\)/).waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(complaints.filter((each) => !each.includes('400'))).toEqual([])
})

test('organizations are compared by policy, and drift shows what changed', async () => {
  forget('Drifting')
  const api = await client()
  const drifting = await api.policies.policies.create.mutate({
    ...{ orgId: acme.orgId, name: 'Drifting', settings: { 'agent.autoUpdate': false } },
    rules: [{ key: 'drifting-os', type: 'os.version', min: '997' }],
    assignments: [{ level: 'organization', id: acme.orgId }],
  })
  await api.policies.policies.activate.mutate({ id: drifting.id })
  await api.policies.compliance.evaluate.mutate({ id: drifting.id })
  const { page, complaints } = await visitorAs(acme, '/policies?tab=matrix')
  const matrix = page.getByRole('region', { name: 'Compliance matrix' })
  const cell = matrix.getByRole('link', { name: `Drifting, ${acme.orgName}: 1 not compliant` })
  await cell.getByText('0/1').waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1440, height: 900 })
  await cell.click()
  await page.getByRole('row').filter({ hasText: acme.hostname }).getByText('Not compliant').waitFor()
  await page.goto(`/policies?tab=drift&policy=${drifting.id}`)
  const changes = page.getByRole('region', { name: 'Latest changes' })
  await changes.getByRole('row').filter({ hasText: acme.hostname }).first().waitFor()
  await expectAccessible(page)
  await page.goto(`/devices/${acme.deviceId}?tab=policies`)
  await page.getByRole('list', { name: 'Settings in effect' }).getByText('Agent updates itself: No').waitFor()
  await page.goto('/policies')
  await page.getByRole('row').filter({ hasText: 'Drifting' }).getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit policy' }).click()
  const form = page.getByRole('dialog', { name: 'Edit Drifting' })
  await form.getByLabel('Seconds between heartbeats').fill('1')
  await form.getByRole('button', { name: 'Save policy' }).click()
  await form.getByText('must be at least 5', { exact: true }).waitFor()
  await form.getByLabel('Seconds between heartbeats').fill('')
  await form.getByLabel('Agent updates itself').selectOption('Not set')
  await form.getByRole('button', { name: 'Save policy' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await api.policies.policies.get.query({ id: drifting.id })).toMatchObject({
    ...{ settings: {}, rules: drifting.rules, assignments: drifting.assignments },
  })
  expect(complaints).toEqual([])
})
