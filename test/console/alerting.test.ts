import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { newMember } from './tenants.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { acme, umbra, url } = stage
const client = clientOf(url, (await signIn(url, umbra)).accessToken)
const acmeClient = clientOf(url, (await signIn(url, acme)).accessToken)

test('policies are created, ordered and previewed', async () => {
  await newMember(client, stage.outbox, 'Partner Technician', 'Tess Technician')
  await client.alertChannels.channels.create.mutate({
    name: 'Night shift',
    type: 'email',
    config: { to: ['night@umbra.test'] },
  })
  const { page, complaints } = await visitorAs(umbra, '/alerts/policies')
  await page.getByText('No alert policies yet').waitFor()
  await page.getByRole('button', { name: 'New policy' }).first().click()
  const form = page.getByRole('dialog', { name: 'New alert policy' })
  await form.getByLabel('Name', { exact: true }).fill('Urgent')
  await form.getByRole('combobox', { name: 'Add a condition' }).selectOption('Severities')
  await form.getByRole('checkbox', { name: 'Critical' }).click()
  await form.getByRole('checkbox', { name: 'Night shift' }).click()
  await form.getByRole('button', { name: 'Add step' }).click()
  const second = form.getByRole('group', { name: 'Step 2' })
  await second.getByRole('checkbox', { name: 'Ada of Umbra' }).click()
  await second.getByRole('checkbox', { name: 'Partner Technician' }).click()
  await form.getByRole('button', { name: 'Create policy' }).click()
  await form.waitFor({ state: 'hidden' })
  const row = page.getByRole('row').filter({ hasText: 'Urgent' })
  await row.getByText('2 steps').waitFor()
  await client.alertPolicies.policies.create.mutate({ name: 'All others', order: 1 })
  await page.reload()
  await page.getByRole('button', { name: 'Move All others up' }).click()
  await page.getByText('Order saved').waitFor()
  expect(await names(page.getByRole('table', { name: 'Alert policies' }).getByRole('row'))).toEqual([
    'All others',
    'Urgent',
  ])
  await page.getByRole('button', { name: 'Move Urgent up' }).click()
  await page.getByRole('button', { name: 'Move Urgent up', disabled: true }).waitFor()
  await page.getByRole('link', { name: 'Who would hear what' }).click()
  await page.getByLabel('Organization', { exact: true }).selectOption(umbra.orgName)
  const messages = page.getByRole('list', { name: 'Messages' })
  await messages.getByText('At once: Night shift').waitFor()
  await messages.getByText('After 15 minutes: Ada of Umbra, role Partner Technician (Tess Technician)').waitFor()
  await page.getByLabel('Severity').selectOption('low')
  await messages.getByText('The policy has no steps').waitFor()
  expect(complaints).toEqual([])
})

const names = async (rows: Locator) =>
  (await rows.allTextContents()).slice(1).map((text) => ['All others', 'Urgent'].find((name) => text.startsWith(name)))

test('a rule is created from a template with parameters, tested, snoozed and deleted', async () => {
  const { page, complaints } = await visitorAs(acme, '/alerts/templates')
  await page.getByRole('link', { name: 'Create rule from CPU use is high' }).click()
  const form = page.getByRole('dialog', { name: 'New alert rule' })
  await form.getByLabel('threshold').fill('0')
  await form.getByText('must be at least 1').waitFor()
  await form.getByLabel('threshold').fill('1')
  await form.getByText('CPU (%), average of 10 minutes, above 1').waitFor()
  await form.getByLabel('Name', { exact: true }).fill('Busy machines')
  await form.getByLabel('Severity').selectOption('low')
  await form.getByRole('button', { name: 'Create rule' }).click()
  await page.getByRole('heading', { level: 1, name: 'Busy machines' }).waitFor()
  await page.getByText('name, severity').waitFor()
  await page.getByRole('button', { name: 'Run backtest' }).click()
  const result = page.getByRole('region', { name: 'Result of the backtest' })
  await result.getByText('Targeted devices').waitFor()
  await page.getByRole('button', { name: 'Actions for Busy machines' }).click()
  await page.getByRole('menuitem', { name: 'Snooze rule' }).click()
  const snooze = page.getByRole('dialog', { name: 'Snooze Busy machines' })
  await snooze.getByRole('button', { name: 'Snooze rule' }).click()
  await page.getByText('Snoozed', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Rules', exact: true }).first().click()
  const row = page.getByRole('row').filter({ hasText: 'Busy machines' })
  await row.getByText('Snoozed').waitFor()
  await row.getByRole('button', { name: 'Actions for Busy machines' }).click()
  await page.getByRole('menuitem', { name: 'Delete rule' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click()
  await page.getByText('No alert rules yet').waitFor()
  expect(complaints).toEqual([])
})

test('a rule combines groups of metrics, and is tested before it is saved', async () => {
  const { page, complaints } = await visitorAs(acme, '/alerts/rules')
  await page.getByRole('button', { name: 'New rule' }).first().click()
  const form = page.getByRole('dialog', { name: 'New alert rule' })
  await form.getByLabel('Name', { exact: true }).fill('Overload')
  await form.getByLabel('Threshold').fill('many')
  await form.getByRole('status').filter({ hasText: 'threshold' }).waitFor()
  await form.getByLabel('Threshold').fill('101')
  await form.getByRole('button', { name: 'Group', exact: true }).first().click()
  const inner = form.getByRole('group', { name: 'Group of metrics' })
  await inner.getByLabel('Metric', { exact: true }).selectOption('Memory used (%)')
  await inner.getByLabel('Value').selectOption('Latest value')
  await inner.getByLabel('Window').fill('')
  await inner.getByLabel('Threshold').fill('0')
  await form.getByLabel('Match', { exact: true }).first().selectOption('Match any')
  await form.getByRole('button', { name: 'Run backtest' }).click()
  await form.getByRole('list', { name: 'Devices that match now' }).getByText(acme.hostname).waitFor()
  await form.getByRole('button', { name: 'Create rule' }).click()
  await page.getByText('CPU (%), average of 5 minutes, above 101 or (Memory used (%) above 0)').waitFor()
  await page.getByRole('button', { name: 'Edit rule' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Overload' })
  await edit.getByLabel('Condition type').selectOption('Device offline')
  await edit.getByRole('button', { name: 'Run backtest' }).click()
  await edit.getByText('No device matches now').waitFor()
  await edit.getByRole('button', { name: 'Save rule' }).click()
  await page.getByText('Offline for 5 minutes').waitFor()
  const [rule] = (await acmeClient.alerts.rules.list.query({ search: 'Overload' })).data
  await acmeClient.alerts.rules.remove.mutate({ id: rule?.id ?? '' })
  expect(complaints).toEqual([])
})

test('a template with a parameter is created, and names its rules', async () => {
  const { id: channelId } = await client.alertChannels.channels.create.mutate({
    name: 'Pager',
    type: 'email',
    config: { to: ['pager@umbra.test'] },
  })
  const { page, complaints } = await visitorAs(umbra, '/alerts/templates?tab=own')
  await page.getByText('No templates of your own yet').waitFor()
  await page.getByRole('button', { name: 'New template' }).first().click()
  const form = page.getByRole('dialog', { name: 'New alert template' })
  await form.getByLabel('Name', { exact: true }).first().fill('Service is down')
  await form.getByRole('button', { name: 'Add parameter' }).click()
  const parameter = form.getByRole('group', { name: 'Parameter 1' })
  await parameter.getByLabel('Name').fill('service')
  await parameter.getByLabel('Type').selectOption('Text')
  await parameter.getByLabel('Default').fill('ssh')
  await form.getByLabel('Condition type').selectOption('Service (agent check)')
  await form.getByLabel('Service', { exact: true }).fill('{{service}}')
  await form.getByLabel('Organization', { exact: true }).selectOption(umbra.orgName)
  await form.getByRole('checkbox', { name: 'Pager' }).click()
  await form.getByRole('button', { name: 'Create template' }).click()
  await form.waitFor({ state: 'hidden' })
  const row = page.getByRole('row').filter({ hasText: 'Service is down' })
  await row.getByText('Service ssh is not running').waitFor()
  const [template] = (await client.alertTemplates.templates.list.query({})).data
  expect(template).toMatchObject({ orgId: umbra.orgId, channelIds: [channelId], policyId: null, dependsOnRuleIds: [] })
  const rule = await client.alerts.rules.create.mutate({
    templateId: template?.id ?? '',
    orgId: umbra.orgId,
    name: 'No web server',
    parameters: { service: 'nginx' },
  })
  await page.reload()
  await page.getByRole('button', { name: 'Service is down', exact: true }).click()
  const details = page.getByRole('dialog', { name: 'Service is down' })
  await details.getByText('Pager').waitFor()
  await details.getByRole('link', { name: 'No web server' }).click()
  await page.getByText('Service nginx is not running').waitFor()
  await client.alerts.rules.remove.mutate({ id: rule.id })
  expect(complaints).toEqual([])
})

test('alerts are acknowledged together, explained, and resolved on their page', async () => {
  // A policy without steps: no user gets a notification.
  const { id: policyId } = await acmeClient.alertPolicies.policies.create.mutate({ name: 'Silent' })
  const conditions = {
    kind: 'metric',
    metric: 'memoryPercent',
    operator: 'gt',
    threshold: 0,
    aggregate: 'last',
  } as const
  const ruleOf = (name: string, severity: 'critical' | 'info') =>
    acmeClient.alerts.rules.create.mutate({ policyId, name, severity, conditions })
  const rule = await ruleOf('Memory in use', 'critical')
  // A second alert of the same device belongs to the first one.
  const other = await ruleOf('Memory again', 'info')
  const title = `Memory in use: ${acme.hostname}`
  const { page, complaints } = await visitorAs(acme, '/alerts')
  const row = page.getByRole('row').filter({ hasText: title })
  await row.getByRole('checkbox').click()
  const bar = page.getByRole('region', { name: 'Selected alerts' })
  await bar.getByText('1 alert').waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('acknowledge')
  await page.keyboard.press('Enter')
  const form = page.getByRole('dialog', { name: `Acknowledge “${title}”` })
  await form.getByLabel('Note').fill('On it')
  await form.getByRole('button', { name: 'Acknowledge alert' }).click()
  await row.getByText('Acknowledged').waitFor()
  await page.goto('/')
  await page.getByRole('link', { name: '1 open alerts, critical: show them' }).click()
  await row.getByRole('link', { name: title }).click()
  await page.getByRole('list', { name: 'Timeline' }).getByText('On it').waitFor()
  await page.getByText('Memory used (%) above 0').waitFor()
  await page.getByRole('heading', { name: 'Probable cause' }).waitFor()
  await page.getByRole('list', { name: 'Evidence' }).getByText(`Both concern the device ${acme.hostname}`).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resolve alert' }).click()
  await page.getByText('Resolved', { exact: true }).first().waitFor()
  await acmeClient.alerts.rules.remove.mutate({ id: other.id })
  await page.goto('/alerts')
  await page.getByText('No alerts').first().waitFor()
  await page.getByLabel('Status').selectOption('All statuses')
  await row.waitFor()
  await acmeClient.alerts.rules.remove.mutate({ id: rule.id })
  await acmeClient.alertPolicies.policies.remove.mutate({ id: policyId })
  expect(complaints).toEqual([])
})
