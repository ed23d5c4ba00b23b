import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { newTenant } from './tenants.ts'
import { enter, expectAccessible, newVisitor, stage, visitorAs } from './visitor.ts'

const { acme, admin, umbra, url, outbox } = stage

test('search results that arrive late do not take the selection from a command', async () => {
  const { page, complaints } = await visitorAs(acme, '/')
  const { promise: isTyped, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/trpc/search.search.find**', async (route) => {
    await isTyped
    await route.continue()
  })
  await page.keyboard.press('Control+K')
  const search = page.getByRole('combobox', { name: 'Search or jump to' })
  await search.fill('acm')
  await search.fill('organization')
  const selected = page.getByRole('option', { selected: true })
  await selected.getByText('Organizations').waitFor()
  answer()
  await page.waitForResponse(/search\.search\.find/)
  expect(await selected.textContent()).toContain('Organizations')
  await page.keyboard.press('Enter')
  await page.waitForURL(({ pathname }) => pathname === '/organizations')
  expect(complaints).toEqual([])
})

test('the navigation remembers its open group, Admin has its own, and an unknown address keeps both', async () => {
  const { page } = await visitorAs(acme, '/no-such-page')
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('button', { name: 'Show the pages of Customers' }).click()
  await page.reload()
  await main.getByRole('link', { name: 'Sites' }).waitFor()
  expect(await main.getByRole('link', { name: 'All devices' }).count()).toBe(0)
  await main.getByRole('link', { name: 'Admin' }).click()
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Audit log' }).waitFor()
  await page.getByRole('button', { name: 'Main menu' }).click()
  await main.getByRole('link', { name: 'Devices', exact: true }).waitFor()
})

test('the navigation finds pages by the beginnings of words and counts what waits', async () => {
  const client = clientOf(url, (await signIn(url, acme)).accessToken)
  await client.accessReviews.reviews.create.mutate({ name: 'Autumn review' })
  const { page, complaints } = await visitorAs(acme, '/')
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: /^Admin \d+ waiting$/ }).waitFor()
  await page.getByRole('textbox', { name: 'Search pages' }).fill('recert')
  const found = page.getByRole('navigation', { name: 'Found pages' })
  await found.getByRole('link', { name: /^Access reviews \d+ waiting$/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Access reviews' }).waitFor()
  await page.getByRole('navigation', { name: 'Admin' }).waitFor()
  expect(complaints).toEqual([])
})

test('an address with an ID that cannot exist has no page', async () => {
  const { page } = await visitorAs(acme, '/devices/run')
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})

test('an error links to its cause and remedy', async () => {
  const { page, context } = await visitorAs(acme, `/devices/${crypto.randomUUID()}`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  const [reference] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'About this error' }).click(),
  ])
  await reference.getByRole('article', { name: 'NOT_FOUND' }).getByText('does not exist').waitFor()
  expect(await reference.getByRole('article').count()).toBe(1)
  await reference.getByRole('link', { name: 'Show all error codes' }).click()
  await reference.getByRole('article', { name: 'RATE_LIMITED' }).waitFor()
})

test('the palette offers the actions of the selected devices', async () => {
  const { page, complaints } = await visitorAs(acme, '/devices')
  await page.getByRole('checkbox', { name: `Select ${acme.hostname}` }).click()
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('edit tags')
  await page.getByRole('option', { selected: true }).getByText('1 device').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Edit tags' }).getByText('1 device in 1 organization.').waitFor()
  expect(complaints).toEqual([])
})

test('a new company is led through the first steps', async () => {
  const { page, complaints } = await visitorAs(umbra, '/')
  const steps = page.getByRole('listitem').filter({ hasText: /organization|key|machine|colleague/ })
  await steps.getByText('Create an organization').waitFor()
  await steps.getByRole('link', { name: 'Create an enrollment key' }).click()
  await page.getByRole('heading', { level: 1, name: 'Enrollment' }).waitFor()
  expect(complaints).toEqual([])
})

test('on a phone a row is a card with its other columns, and a table with all columns on request', async () => {
  const cols = 'name.status.organization.site.os.cpu.memory.disk.seen.agent.uptime.hostname'
  const { page } = await visitorAs(acme, `/devices?cols=${cols}`)
  await page.setViewportSize({ width: 390, height: 844 })
  const row = page.getByRole('row').filter({ hasText: acme.hostname })
  await row.getByText(acme.orgName).waitFor()
  for (const name of ['Organization', 'OS', 'Memory', 'Last seen']) await row.getByText(name, { exact: true }).waitFor()
  expect(await page.getByRole('columnheader', { name: 'Organization' }).count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show all columns' }).click()
  await page.getByRole('columnheader', { name: 'Organization' }).waitFor()
})

test('on a phone the menu is a drawer that Escape and a click beside it close', async () => {
  const { page, complaints } = await visitorAs(acme, '/devices')
  await page.setViewportSize({ width: 390, height: 844 })
  const open = page.getByRole('button', { name: 'Open the menu' })
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await open.click()
  await drawer.getByRole('link', { name: 'Home' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  await open.click()
  await drawer.waitFor()
  await page.mouse.click(380, 400)
  await drawer.waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
})

test('a company that waits for approval sees one page that says so, and Muster once it is approved', async () => {
  const client = clientOf(url, (await signIn(url, admin)).accessToken)
  const tenant = await newTenant(client, outbox, 'Pending')
  await client.tenancy.partners.update.mutate({ id: tenant.partnerId, status: 'pending' })
  const { page } = await newVisitor()
  await page.goto('/login')
  await enter(page, tenant)
  await page.getByRole('heading', { level: 1, name: 'Waiting for approval' }).waitFor()
  expect(await page.getByText('You don’t have access').count()).toBe(0)
  await expectAccessible(page)
  await client.tenancy.partners.update.mutate({ id: tenant.partnerId, status: 'active' })
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})
