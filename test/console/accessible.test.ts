import { beforeAll, expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { expectAccessible, newVisitor, stage, visitorAs } from './visitor.ts'

const { acme, admin, url } = stage
const device = `/devices/${acme.deviceId}`

/** All screens, with something of each that is there once it is drawn. */
const screens = [
  ['/', 'High usage'],
  ['/devices', acme.hostname],
  [device, 'History'],
  [`${device}?tab=inventory`, 'Hardware'],
  [`${device}?tab=commands`, 'Commands'],
  [`${device}?tab=run`, 'Run on'],
  [`${device}?tab=processes`, 'Pause'],
  [`${device}?tab=services`, 'Services'],
  [`${device}?tab=files`, 'Upload'],
  [`${device}?tab=logs`, 'Logs'],
  [`${device}?tab=tasks`, 'Tasks'],
  ['/groups', 'New group'],
  ['/approvals', 'Stop all commands'],
  ['/alerts', 'No alerts'],
  ['/fields', 'New field'],
  ['/fields?tab=tags', 'Custom fields'],
  ['/agent-versions', 'No versions yet'],
  ['/agent-versions?tab=pins', 'New pin'],
  ['/agent-versions?tab=stuck', 'No stuck updates'],
  ['/enrollment', 'Prefix'],
  ['/audit', 'Changed fields'],
  ['/errors', 'RATE_LIMITED'],
  ['/account', 'Active sessions'],
  ['/users', 'Last sign-in'],
  ['/roles', 'Partner Viewer'],
  ['/organizations', 'Device limit'],
  [`/organizations/${acme.orgId}`, 'Require MFA'],
  ['/sites', 'Time zone'],
  ['/settings', 'Dates and times'],
  ['/access-reviews', 'Start access review'],
  ['/api-keys?form=new', 'Create key'],
  ['/sso?form=new', 'Create provider'],
  ['/webhooks?form=new', 'Create webhook'],
  ['/alerts/channels?form=new', 'Create channel'],
  ['/alerts/policies?form=new', 'Create policy'],
  ['/alerts/rules?form=new', 'Create rule'],
  ['/alerts/groups', 'No related alerts'],
  ['/alerts/templates', 'CPU use is high'],
  ['/alerts/templates?tab=own&form=new', 'Create template'],
  [`/alerts/policies?tab=preview&org=${acme.orgId}`, 'No policy applies'],
  ['/notifications', 'No notifications'],
  ['/scripts?form=new', 'Create script'],
  ['/secrets?form=new', 'Create secret'],
  ['/scripts/library', 'Disk usage'],
  ['/scripts/library?tab=templates', 'Fill in'],
  ['/maintenance?tab=calendar', 'Calendar'],
  ['/maintenance?form=new', 'Next occurrences'],
  ['/automations', 'New automation'],
  ['/automations?form=new', 'Create automation'],
  ['/deployments', 'New deployment'],
  ['/policies?form=new', 'Create policy'],
  [`${device}?tab=policies`, 'Policies'],
  ['/monitors?tab=dashboard', 'Recent incidents'],
  ['/monitors?form=new', 'Number of probes'],
] as const
/** Of single things, which have to be there first. */
const things: string[][] = []
beforeAll(async () => {
  const client = clientOf(url, (await signIn(url, acme)).accessToken)
  const review = await client.accessReviews.reviews.create.mutate({ name: 'Spring cleaning' })
  const provider = await client.sso.providers.create.mutate({
    orgId: acme.orgId,
    name: 'Entra ID',
    preset: 'entra-id',
    issuer: 'https://login.microsoftonline.com/8a4d6c1e-31f5-4a0e-9d29-0f5d3f0f7a11/v2.0',
    clientId: 'muster',
    clientSecret: 'not a real one',
  })
  things.push([`/access-reviews/${review.id}`, acme.email], [`/sso/${provider.id}`, 'Test connection'])
})

/** Those of people who run the installation. */
const systemScreens = [
  ['/partners', acme.orgName.replace('Bakery', 'IT')],
  ['/queues', 'audit-partitions'],
  ['/queues/jobs', 'All jobs'],
  ['/dead-letters', 'No dead letters'],
  ['/mail', 'Recipient'],
] as const
const gates = [
  '/login',
  '/login?error=no_org_access',
  '/forgot-password',
  '/register-partner',
  '/reset-password#token=x',
  '/accept-invite#token=x',
] as const

test('axe finds nothing serious on screens, in light and dark', async () => {
  const { page, complaints } = await visitorAs(acme)
  for (const [path = '', text = ''] of [...screens, ...things]) {
    await page.goto(path)
    await page.getByText(text).first().waitFor()
    await expectAccessible(page)
  }
  await page.goto('/roles')
  await page.getByRole('link', { name: 'Partner Viewer' }).click()
  await page.getByText('Everything', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor()
  await expectAccessible(page)
  // A machine without systemd refuses to list its services, which the browser notes.
  expect(complaints.filter((each) => !each.includes('409'))).toEqual([])
}, 240_000)

test('axe finds nothing serious on the screens of the installation, in light and dark', async () => {
  const { page, complaints } = await visitorAs(admin)
  for (const [path, text] of systemScreens) {
    await page.goto(path)
    await page.getByText(text).first().waitFor()
    await expectAccessible(page)
  }
  expect(complaints).toEqual([])
})

test('axe finds nothing serious before sign-in, in light and dark', async () => {
  const { page, complaints } = await newVisitor()
  for (const path of gates) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectAccessible(page)
  }
  expect(complaints).toEqual([])
})
