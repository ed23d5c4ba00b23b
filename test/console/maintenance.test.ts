import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, umbra } = stage
const dayMs = 86_400_000

/** A day that is at least a week ahead: 1 is a Monday. Occurrences are known for a year. */
function dayAhead(weekday: number): string {
  const at = new Date(Date.now() + 7 * dayMs)
  return new Date(at.getTime() + ((weekday + 7 - at.getUTCDay()) % 7) * dayMs).toISOString().slice(0, 10)
}

test('creates a repeated window from plain fields, with a preview, and cancels it', async () => {
  const monday = dayAhead(1)
  const thursday = new Date(Date.parse(monday) + 3 * dayMs).toISOString().slice(0, 10)
  const { page, complaints } = await visitorAs(acme, '/maintenance')
  await page.getByText('No maintenance windows yet').waitFor()
  await page.getByRole('button', { name: 'New window' }).first().click()
  const form = page.getByRole('dialog', { name: 'New maintenance window' })
  await form.getByLabel('Name').fill('Patch night')
  await form.getByLabel('Organization').selectOption({ label: acme.orgName })
  await form.getByLabel('Start', { exact: true }).fill(`${monday}T22:00`)
  await form.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin')
  await form.getByLabel('Repeats').selectOption('weekly')
  await form.getByRole('button', { name: 'Thursday' }).click()
  await form.getByLabel('Search for devices').fill(acme.siteName.slice(0, 6))
  await form.getByRole('button', { name: `${acme.siteName} Site` }).click()
  await form.getByLabel('Restarts').selectOption('confine')
  const preview = form.getByRole('region', { name: 'Next occurrences' })
  await preview.getByText(`Mon ${monday} 22:00`).waitFor()
  await preview.getByText('1 device').first().waitFor()
  await preview.getByRole('button', { name: `Skip Thu ${thursday} 22:00` }).click()
  await preview.getByText(`Thu ${thursday} 22:00`).waitFor({ state: 'detached' })
  await form.getByRole('button', { name: 'Create window' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Patch night' })
  await row.getByText('Weekly on Monday, Thursday').waitFor()
  await row.getByText('Alerts suppressed, Restarts only in windows').waitFor()
  await page.getByRole('link', { name: 'Patch night' }).click()
  await page.getByText(`Site ${acme.siteName}`).waitFor()
  await page.getByText(`${thursday} 22:00`).waitFor()
  await page.getByRole('button', { name: 'Cancel window' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel window' }).click()
  await page.getByText('Canceled', { exact: true }).first().waitFor()
  expect(complaints).toEqual([])
})

test('starts and ends an occurrence that the calendar shows', async () => {
  const client = clientOf(stage.url, (await signIn(stage.url, umbra)).accessToken)
  const startsAt = new Date(Date.now() + 3 * 3_600_000)
  const window = await client.maintenance.windows.create.mutate({
    orgId: umbra.orgId,
    name: 'Switch firmware',
    startsAt: startsAt.toISOString().slice(0, 16),
    durationMinutes: 60,
  })
  const day = startsAt.toISOString().slice(0, 10)
  const { page, complaints } = await visitorAs(umbra, `/maintenance?tab=calendar&view=week&day=${day}`)
  await page.getByRole('link', { name: 'Switch firmware' }).first().click()
  await page.getByRole('button', { name: 'Start now' }).click()
  const start = page.getByRole('dialog', { name: 'Start “Switch firmware” now' })
  await start.getByLabel('End').fill('2020-01-01T00:00')
  await start.getByRole('button', { name: 'Start maintenance', disabled: true }).waitFor()
  const endsAt = new Date(Date.now() + 7_200_000)
  endsAt.setSeconds(0, 0)
  const local = new Date(endsAt.getTime() - endsAt.getTimezoneOffset() * 60_000).toISOString()
  await start.getByLabel('End').fill(local.slice(0, 16))
  await start.getByRole('button', { name: 'Start maintenance' }).click()
  await page.getByText('Active', { exact: true }).waitFor()
  const [occurrence] = (await client.maintenance.windows.occurrences.query({ id: window.id })).data
  expect(occurrence?.endsAt).toBe(endsAt.toISOString())
  await page.getByRole('button', { name: 'End now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End maintenance' }).click()
  await page.getByText('by a user').waitFor()
  expect((await client.maintenance.windows.get.query({ id: window.id })).status).toBe('completed')
  expect(complaints).toEqual([])
})

test('the page of a device says what maintenance holds back', async () => {
  const client = clientOf(stage.url, (await signIn(stage.url, acme)).accessToken)
  const { id } = await client.maintenance.windows.create.mutate({
    orgId: acme.orgId,
    name: 'Reboots at night',
    startsAt: `${dayAhead(1)}T22:00`,
    durationMinutes: 60,
    effects: { alerts: 'none', reboots: 'confine' },
  })
  const { page, complaints } = await visitorAs(acme, `/devices/${acme.deviceId}`)
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Maintenance' }) })
  await panel.getByText('Restarts').waitFor()
  await panel.getByRole('link', { name: 'Window' }).click()
  await page.getByRole('heading', { name: 'Reboots at night' }).waitFor()
  await page.getByRole('button', { name: 'Delete window' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete window' }).click()
  await page.waitForURL((url) => url.pathname === '/maintenance')
  await expect(client.maintenance.windows.get.query({ id })).rejects.toThrow('not found')
  expect(complaints).toEqual([])
})
