import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { newTenant } from './tenants.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, umbra } = stage

test('the list is searched and filtered by the server, and the address keeps what was asked', async () => {
  const { page, complaints } = await visitorAs(acme, '/devices')
  const row = page.getByRole('row').filter({ hasText: acme.hostname })
  await row.getByText('Online').waitFor()
  await page.keyboard.press('/')
  // Keys come while the address still learns of those before.
  await page.keyboard.type('there is no such machine', { delay: 30 })
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  await page.waitForURL(({ searchParams }) => searchParams.get('q') === 'there is no such machine')
  await page.reload()
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await row.waitFor()
  await page.getByRole('button', { name: 'Status' }).first().click()
  await page.getByRole('checkbox', { name: 'Quarantined' }).click()
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  expect(complaints).toEqual([])
})

test('filters show how many devices have each status, operating system, site and time last seen', async () => {
  const { page, complaints } = await visitorAs(acme, `/devices?org=${acme.orgId}`)
  const row = page.getByRole('row').filter({ hasText: acme.hostname })
  await row.waitFor()
  const facets = page.getByRole('dialog')
  const figure = (value: string) => facets.locator('span', { hasText: value }).locator('.tabular').first()
  await page.getByRole('button', { name: 'OS', exact: true }).first().click()
  await expect.poll(() => figure('Linux').textContent()).toBe('1')
  await expect.poll(() => figure('Windows').textContent()).toBe('0')
  await facets.getByRole('checkbox', { name: 'Windows' }).click()
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  await page.waitForURL(({ searchParams }) => searchParams.get('os') === '["windows"]')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await row.waitFor()
  await page.getByRole('button', { name: 'Site', exact: true }).first().click()
  await expect.poll(() => figure(acme.siteName).textContent()).toBe('1')
  await facets.getByRole('checkbox', { name: acme.siteName }).click()
  await page.waitForURL(({ searchParams }) => searchParams.get('site') === acme.siteId)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Last seen', exact: true }).first().click()
  await expect.poll(() => figure('More than 7 days ago').textContent()).toBe('0')
  await facets.getByRole('checkbox', { name: 'More than 7 days ago' }).click()
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  expect(complaints).toEqual([])
})

test('a column keeps the width that it was dragged to', async () => {
  const { page, complaints } = await visitorAs(acme, '/devices')
  const header = page.getByRole('columnheader', { name: 'Agent' })
  const widthOf = async () => Math.round((await header.boundingBox())?.width ?? 0)
  await header.waitFor()
  const edge = await page.locator('[data-edge=agent]').boundingBox()
  if (edge === null) throw new Error('the edge is not visible')
  const usual = await widthOf()
  await page.mouse.move(edge.x + 2, edge.y + 10)
  await page.mouse.down()
  await page.mouse.move(edge.x + 42, edge.y + 10, { steps: 4 })
  await page.mouse.up()
  expect(await widthOf()).toBe(usual + 40)
  await page.reload()
  await header.waitFor()
  expect(await widthOf()).toBe(usual + 40)
  await page.locator('[data-edge=agent]').dblclick()
  expect(await widthOf()).toBe(usual)
  expect(complaints).toEqual([])
})

test('what happens between the reading of the list and the opening of the stream is seen', async () => {
  const client = clientOf(stage.url, (await signIn(stage.url, acme)).accessToken)
  const { page, complaints } = await visitorAs(acme, '/account')
  const { promise: isRead, resolve: openStream } = Promise.withResolvers<void>()
  await page.route('**/trpc/devices.live.events**', async (route) => {
    await isRead
    await route.continue()
  })
  await page.goto('/devices')
  const row = page.getByRole('row').filter({ hasText: acme.hostname })
  await row.waitFor()
  const displayName = `Till ${Date.now()}`
  await client.lifecycle.lifecycle.update.mutate({ id: acme.deviceId, displayName })
  openStream()
  await row.getByText(displayName).waitFor()
  await client.lifecycle.lifecycle.update.mutate({ id: acme.deviceId, displayName: null })
  await row.getByText(displayName).waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

test('the keyboard alone selects a row and opens it', async () => {
  const { page, complaints } = await visitorAs(acme, '/')
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  // The overview names the device too.
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
  await page.getByRole('link', { name: acme.hostname }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('region', { name: 'Selected devices' }).getByText('1 device').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: acme.hostname }).waitFor()
  expect(complaints).toEqual([])
})

test('the file is exactly the view: its rows, its columns, in their order', async () => {
  const { page } = await visitorAs(acme, '/devices?cols=name.status.organization')
  await page.getByRole('link', { name: acme.hostname }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toBe(`Name,Status,Organization\r\n${acme.hostname},Online,${acme.orgName}\r\n`)
})

test('a script runs on the device, its output is there as it was written, and a reload finds it again', async () => {
  const { page, complaints } = await visitorAs(acme, `/devices/${acme.deviceId}?tab=run`)
  await page.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('echo "forty $((20 + 22))"')
  await page.getByRole('button', { name: /^Run on/ }).click()
  const output = page.getByRole('region', { name: 'Output' })
  await output.getByText('Succeeded').waitFor({ timeout: 60_000 })
  await output.getByText('forty 42').first().waitFor()
  await page.reload()
  await output.getByText('forty 42').first().waitFor()
  await page.getByRole('link', { name: 'Commands', exact: true }).click()
  await page.getByRole('button', { name: 'Run script' }).first().waitFor()
  expect(complaints).toEqual([])
})

test('a command for many says whom it hits before it goes out', async () => {
  const { page } = await visitorAs(acme, '/devices')
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Refresh inventory' }).click()
  const dialog = page.getByRole('dialog')
  const hits = dialog.getByRole('region', { name: 'Affected devices' })
  await hits.getByText('1 device in 1 organization.').waitFor()
  await hits.getByText(`${acme.orgName}: 1`).waitFor()
  await dialog.getByRole('button', { name: 'Refresh inventory on 1 device' }).click()
  await page
    .getByRole('dialog')
    .getByText(/1 command sent|already/)
    .waitFor()
})

test('the results of a bulk script are listed by device, and the failed ones are retried', async () => {
  const { page } = await visitorAs(acme, '/devices')
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Run script' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.insertText('echo wrong; exit 3')
  await dialog.getByRole('button', { name: 'Run script on 1 device' }).click()
  await dialog.getByRole('link', { name: 'View results' }).click()
  const row = page.getByRole('table', { name: 'Results' }).getByRole('row').filter({ hasText: acme.hostname })
  await row.getByText('Failed').waitFor({ timeout: 60_000 })
  await row.getByText('3', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Show output' }).click()
  await dialog.getByRole('region', { name: 'Output' }).getByText('wrong').waitFor()
  await page.keyboard.press('Escape')
  const first = page.url()
  await page.getByRole('button', { name: 'Retry failed' }).click()
  await dialog.getByRole('button', { name: 'Retry', exact: true }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && url.pathname !== new URL(first).pathname)
  await row.getByText('Failed').waitFor({ timeout: 60_000 })
})

test('a short list is sorted by any column, and its export has the same order', async () => {
  const system = clientOf(stage.url, (await signIn(stage.url, stage.admin)).accessToken)
  const tenant = await newTenant(system, stage.outbox, 'Sorted')
  const client = clientOf(stage.url, (await signIn(stage.url, tenant)).accessToken)
  for (const [hostname, siteId] of [
    ['attic', tenant.siteId],
    ['cellar', null],
  ] as const)
    await client.enrollment.provision.create.mutate({ orgId: tenant.orgId, siteId, hostname })
  const { page, complaints } = await visitorAs(tenant, '/devices?cols=name.site')
  const first = page.locator('[data-row]').first()
  await first.getByText('attic').waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Skip to the list' }).focus()
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('attic')
  await page.getByRole('button', { name: 'Name' }).click()
  await first.getByText('cellar').waitFor()
  await page.getByRole('columnheader', { name: 'Site' }).getByRole('button').click()
  await first.getByText(tenant.siteName).waitFor()
  await page.reload()
  await first.getByText(tenant.siteName).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(await readFile(await file.path(), 'utf8')).toBe(`Name,Site\r\nattic,${tenant.siteName}\r\ncellar,\r\n`)
  expect(complaints).toEqual([])
})

test('two tenants side by side see only what is theirs', async () => {
  const [ada, eve] = [await visitorAs(acme, '/devices'), await visitorAs(umbra, '/devices')]
  await ada.page.getByRole('link', { name: acme.hostname }).waitFor()
  await eve.page.getByRole('heading', { name: 'No devices yet' }).waitFor()
  await eve.page.goto(`/devices/${acme.deviceId}`)
  await eve.page.getByRole('heading', { name: 'Not found' }).waitFor()
  expect(await eve.page.getByText(acme.hostname).count()).toBe(0)
})
