// Screenshots of every screen for docs/screens, from a running Muster: `ENABLE_2FA=false npm start -- --demo 2000 --outbox`, then
//   node scripts/screens.ts http://127.0.0.1:3000 admin@muster.local <password> <outbox> [expression for names] [machine]
// Screens that need a connected machine use the one with that name, by default this machine.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@muster/testkit/browser.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Client, clientOf, linkMailedTo, signIn } from '../test/console/client.ts'

const [url = '', email = '', password = '', outbox = '', names = '', machine = hostname()] = process.argv.slice(2)
const only = new RegExp(names)
const folder = fileURLToPath(new URL('../docs/screens/', import.meta.url))
const settleMs = 1_500
type Theme = 'light' | 'dark'
interface Account {
  readonly email: string
  readonly password: string
}

async function shoot(page: Page, path: string, name: string) {
  if (!only.test(name)) return
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  await page.waitForTimeout(settleMs)
  await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: `${folder}${name}.png` })
}

async function contextWith(browser: Browser, theme: Theme, width = 1440): Promise<BrowserContext> {
  const viewport = { width, height: 900 }
  const context = await browser.newContext({ baseURL: url, colorScheme: theme, reducedMotion: 'reduce', viewport })
  context.setDefaultTimeout(120_000)
  return context
}

async function enter(context: BrowserContext, who: Account): Promise<Page> {
  const page = await context.newPage()
  await page.goto('/login')
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(({ pathname }) => pathname === '/')
  return page
}

/** An administrator of the demonstration's provider: most administration screens belong to a partner. */
async function administrator(client: Client): Promise<Account & { orgId: string }> {
  const { data: partners } = await client.tenancy.partners.list.query({})
  const partnerId = partners.find(({ slug }) => slug === 'demo-northwind')?.id ?? partners[0]?.id ?? ''
  const { data: roles } = await client.roles.roles.list.query({ partnerId })
  const known = roles.find(({ name }) => name === 'Administrator')
  const builtIn = roles.find(({ name }) => name === 'Partner Admin')?.id ?? ''
  const roleId =
    known?.id ?? (await client.roles.roles.clone.mutate({ id: builtIn, name: 'Administrator', partnerId })).id
  await client.roles.roles.update.mutate({ id: roleId, forceMfa: false, description: 'Runs the company' })
  const who = { email: `kim.${randomBytes(3).toString('hex')}@northwind.example`, password: 'nine kites over the pier' }
  await client.users.invitations.invite.mutate({ partnerId, email: who.email, name: 'Kim Reuter', roleId })
  const [, token = ''] = (await linkMailedTo(outbox, who.email)).split('#token=')
  await client.users.invitations.acceptInvite.mutate({ token, password: who.password })
  const { data: organizations } = await client.tenancy.organizations.list.query({ partnerId })
  return { ...who, orgId: organizations[0]?.id ?? '' }
}

/** Creates sample data for the administration screens. */
async function prepare(
  who: Account & { orgId: string },
): Promise<Record<'role' | 'review' | 'provider' | 'alert' | 'rule', string>> {
  const client = clientOf(url, (await signIn(url, who)).accessToken)
  const { data: roles } = await client.roles.roles.list.query({})
  const parent = roles.find(({ name }) => name === 'Partner Viewer')?.id ?? null
  const night =
    roles.find(({ name }) => name === 'Night shift') ??
    (await client.roles.roles.create.mutate({
      name: 'Night shift',
      description: 'Looks and restarts, changes nothing else',
      parentRoleId: parent,
      permissions: [{ resource: 'devices', action: 'execute' }],
    }))
  const scopes = ['devices:read', 'sites:read'] as const
  const { data: keys } = await client.apiKeys.keys.list.query({})
  if (keys.length === 0) {
    await client.apiKeys.keys.create.mutate({ name: 'Monitoring', scopes: [...scopes] })
    const from = ['203.0.113.0/24']
    await client.apiKeys.keys.create.mutate({ name: 'Billing', scopes: ['devices:read'], allowedAddresses: from })
  }
  const { data: reviews } = await client.accessReviews.reviews.list.query({})
  const { data: providers } = await client.sso.providers.list.query({ orgId: who.orgId })
  const provider =
    providers[0] ??
    (await client.sso.providers.create.mutate({
      orgId: who.orgId,
      name: 'Entra ID',
      preset: 'entra-id',
      issuer: 'https://login.microsoftonline.com/8a4d6c1e-31f5-4a0e-9d29-0f5d3f0f7a11/v2.0',
      clientId: '5f0c8d5e-9a53-4b8e-8f0b-1f9e7f6a2c33',
      clientSecret: 'not a real one',
    }))
  const { data: alerts } = await client.alerts.alerts.list.query({ limit: 1 })
  const { data: rules } = await client.alerts.rules.list.query({ limit: 1 })
  return {
    role: night.id,
    review: reviews[0]?.id ?? '',
    provider: provider.id,
    alert: alerts[0]?.id ?? '',
    rule: rules[0]?.id ?? '',
  }
}

/** Commands for several organizations that wait for approval. */
async function askForApprovals(who: Account): Promise<void> {
  const client = clientOf(url, (await signIn(url, who)).accessToken)
  const { pagination } = await client.devices.approvals.list.query({})
  if (pagination.total > 0) return
  const answer = await client.devices.devices.list.query({ limit: 200, sort: 'enrolled' })
  const deviceIds = 'devices' in answer ? answer.devices.map(({ id }) => id) : []
  await client.tenancy.partners.updateMe.mutate({ settings: { secondPerson: true } })
  const script = 'apt-get install --yes --only-upgrade openssl'
  const asked = await client.devices.commands.bulk.mutate({
    deviceIds,
    type: 'run_script',
    payload: { script, language: 'bash' },
  })
  await client.devices.commands.bulk.mutate({ deviceIds: deviceIds.slice(0, 120), type: 'reboot' })
  const id = asked.approval?.id ?? ''
  await client.devices.approvals.refuse.mutate({ id, reason: 'Not before Friday' })
  await client.devices.commands.bulk.mutate({
    deviceIds,
    type: 'run_script',
    payload: { script: `${script} && systemctl restart nginx`, language: 'bash' },
  })
}

/** Creates sample data for the fleet screens. */
async function prepareFleet(client: Client): Promise<void> {
  const { data: groups } = await client.groups.groups.list.query({})
  const { data: orgs } = await client.tenancy.organizations.list.query({})
  const [first, second = first] = orgs
  if (groups.some(({ name }) => name === 'Needs a look') || !first || !second) return
  const orgId = first.id
  const any = [
    { field: 'status', op: 'is', value: 'offline' },
    { field: 'memoryPercent', op: 'atLeast', value: 85 },
  ]
  const filter = { all: [{ field: 'osType', op: 'is', value: 'linux' }, { any }] }
  const description = 'Away, or short of memory'
  await client.groups.groups.create.mutate({ orgId, name: 'Needs a look', description, filter })
  const newest = { field: 'enrolledAt', op: 'withinLast', value: 7 * 86_400 }
  await client.groups.groups.create.mutate({ orgId, name: 'New this week', filter: newest })
  await client.groups.groups.create.mutate({ orgId: second.id, name: 'Pilots', type: 'static' })
  await client.enrollment.keys.create.mutate({ orgId, name: 'Reception desks', maxUsage: 40 })
  await client.rollouts.pins.set.mutate({ orgId: second.id, reason: 'Stocktaking until the end of the month' })
  const define = client.customFields.customFields.create
  const { partnerId } = first
  await define.mutate({ partnerId, key: 'room', label: 'Room', type: 'text', scriptWritable: true })
  const options = ['till', 'office', 'warehouse']
  await define.mutate({ partnerId, key: 'purpose', label: 'Purpose', type: 'choice', options })
}

/** The page of a device with a real agent: simulated ones have no processes and no files. */
async function realDevice(client: Client): Promise<string | undefined> {
  const answer = await client.devices.devices.list.query({ search: machine, limit: 1, sort: 'hostname' })
  const [device] = 'devices' in answer ? answer.devices : []
  return device && `/devices/${device.id}`
}

/** Keeps what else runs on the machine out of the pictures. */
const neutral: Readonly<Record<string, string>> = { processes: '&q=kworker', files: '&path=%2Fusr' }

async function ofTheFleet(page: Page, theme: string, own: string | undefined) {
  for (const tab of own ? ['processes', 'services', 'files', 'logs', 'tasks'] : []) {
    await shoot(page, `${own}?tab=${tab}${neutral[tab] ?? ''}`, `device-${tab}-${theme}`)
  }
  for (const name of ['groups', 'enrollment', 'fields']) await shoot(page, `/${name}`, `${name}-${theme}`)
  await shoot(page, '/agent-versions', `agent-rollouts-${theme}`)
  for (const tab of ['versions', 'pins']) await shoot(page, `/agent-versions?tab=${tab}`, `agent-${tab}-${theme}`)
  if (!only.test(`filter-${theme}`)) return
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('button', { name: 'Condition' }).click()
  await page.getByRole('button', { name: 'Group', exact: true }).click()
  await page.waitForTimeout(settleMs)
  await page.screenshot({ path: `${folder}filter-${theme}.png` })
}

async function beforeSignIn(context: BrowserContext, theme: Theme) {
  const page = await context.newPage()
  for (const path of ['login', 'forgot-password', 'register-partner']) await shoot(page, `/${path}`, `${path}-${theme}`)
  await shoot(page, '/login?error=user_not_found', `login-refused-${theme}`)
  await page.close()
}

async function asOperator(page: Page, theme: Theme) {
  await shoot(page, '/', `overview-${theme}`)
  await shoot(page, '/devices', `devices-${theme}`)
  const link = await page
    .locator('[data-row] a')
    .first()
    .getAttribute('href', { timeout: 5_000 })
    .catch(() => null)
  for (const tab of link ? ['overview', 'inventory', 'commands', 'run'] : []) {
    await shoot(page, `${link?.split('?')[0]}?tab=${tab}`, `device-${tab}-${theme}`)
  }
  await shoot(page, '/account', `account-${theme}`)
  for (const name of ['partners', 'queues', 'dead-letters']) await shoot(page, `/${name}`, `${name}-${theme}`)
  await shoot(page, '/queues/jobs', `jobs-${theme}`)
  if (!only.test(`palette-${theme}`)) return
  await page.goto('/')
  await page.waitForTimeout(settleMs)
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').waitFor()
  await page.screenshot({ path: `${folder}palette-${theme}.png` })
}

async function asAdministrator(page: Page, theme: string, orgId: string, made: Awaited<ReturnType<typeof prepare>>) {
  const screens = [
    ['organizations', '/organizations'],
    ['organization', `/organizations/${orgId}`],
    ['organization-new', '/organizations?form=new'],
    ['sites', '/sites'],
    ['users', '/users'],
    ['users-invite', '/users?form=invite'],
    ['roles', '/roles'],
    ['role', `/roles/${made.role}`],
    ['access-reviews', '/access-reviews'],
    ['access-review', `/access-reviews/${made.review}`],
    ['approvals', '/approvals'],
    ['api-keys', '/api-keys'],
    ['api-key-new', '/api-keys?form=new'],
    ['sso', '/sso'],
    ['sso-provider', `/sso/${made.provider}`],
    ['settings', '/settings'],
    ['audit', '/audit'],
    ['alerts', '/alerts'],
    ['alert', `/alerts/${made.alert}`],
    ['alert-rules', '/alerts/rules'],
    ['alert-rule', `/alerts/rules/${made.rule}`],
    ['alert-rule-new', '/alerts/rules?form=new'],
    ['alert-policies', '/alerts/policies'],
    ['alert-preview', `/alerts/policies?tab=preview&org=${orgId}`],
    ['alert-templates', '/alerts/templates'],
    ['alert-groups', '/alerts/groups'],
    ['alert-channels', '/alerts/channels'],
    ['maintenance', '/maintenance'],
    ['maintenance-calendar', '/maintenance?tab=calendar'],
    ['deployments', '/deployments'],
    ['automations', '/automations'],
    ['automation-new', '/automations?form=new'],
    ['policies', '/policies'],
    ['policies-matrix', '/policies?tab=matrix'],
    ['policy-new', '/policies?form=new'],
    ['scripts', '/scripts'],
    ['script-library', '/scripts/library'],
    ['secrets', '/secrets'],
    ['monitors', '/monitors'],
    ['monitors-dashboard', '/monitors?tab=dashboard'],
    ['webhooks', '/webhooks'],
    ['notifications', '/notifications'],
  ] as const
  for (const [name, path] of screens) await shoot(page, path, `${name}-${theme}`)
}

mkdirSync(folder, { recursive: true })
const operatorClient = clientOf(url, (await signIn(url, { email, password })).accessToken)
const who = await administrator(operatorClient)
await prepareFleet(operatorClient)
const own = await realDevice(operatorClient)
const made = await prepare(who)
await askForApprovals(who)
const browser = await launchBrowser()
for (const theme of ['light', 'dark'] as const) {
  const operator = await contextWith(browser, theme)
  await beforeSignIn(operator, theme)
  const page = await enter(operator, { email, password })
  await asOperator(page, theme)
  await ofTheFleet(page, theme, own)
  await operator.close()
  const company = await contextWith(browser, theme)
  await asAdministrator(await enter(company, who), theme, who.orgId, made)
  await company.close()
}
const narrow = await contextWith(browser, 'light', 420)
await asAdministrator(await enter(narrow, who), 'narrow', who.orgId, made)
const narrowFleet = await contextWith(browser, 'light', 420)
await ofTheFleet(await enter(narrowFleet, { email, password }), 'narrow', own)
await browser.close()
