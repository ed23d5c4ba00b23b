import { expect, test } from 'vitest'
import { clientOf } from './client.ts'
import { enter, expectAccessible, newVisitor, stage } from './visitor.ts'

const { acme, url } = stage

test('somebody signs in where it wanted to go, reloads, and is still there', async () => {
  const { page, complaints } = await newVisitor()
  await page.goto(`/devices?org=${acme.orgId}`)
  await page.waitForURL(/\/login\?/)
  await expectAccessible(page)
  await enter(page, acme)
  await page.waitForURL(
    ({ pathname, searchParams }) => pathname === '/devices' && searchParams.get('org') === acme.orgId,
  )
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
  expect(complaints).toEqual([])
})

test('passwords are masked and left to their keepers, and every page has a way out', async () => {
  const { page } = await newVisitor()
  await page.goto('/login')
  const field = page.locator('input[autocomplete="current-password"]')
  await field.waitFor()
  expect(await field.getAttribute('type')).toBe('password')
  await enter(page, acme)
  await page.waitForURL(({ pathname }) => pathname !== '/login')
  for (const path of ['/', '/devices', '/account']) {
    await page.goto(path)
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  }
})

test('an address that is not confirmed opens only the page that sends the mail again', async () => {
  const email = `mallory-${Date.now()}@registered.test`
  const password = 'nine lanterns on the quay'
  await clientOf(url).auth.registration.registerPartner.mutate({ companyName: 'Quay IT', name: 'M', email, password })
  const { page } = await newVisitor()
  await page.goto('/login?next=%2Fdevices')
  await enter(page, { email, password })
  await page.getByRole('heading', { level: 1, name: 'Confirm your e-mail address' }).waitFor()
  await page.getByText(email).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send the mail again' }).click()
  await page.getByRole('status').getByText('The mail is on its way again').waitFor()
  await page.getByRole('button', { name: 'Back to sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
})
