import { expect, test } from 'vitest'
import { clientOf } from './client.ts'
import { enter, expectAccessible, newVisitor, stage } from './visitor.ts'

const { acme, url } = stage

test('sign-in leads to the requested page, which survives a reload', async () => {
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

test('passwords are masked and offered to password managers, and each page has a sign-out', async () => {
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

test('an unconfirmed address opens only the page that resends the email', async () => {
  const email = `mallory-${Date.now()}@registered.test`
  const password = 'nine lanterns on the quay'
  await clientOf(url).auth.registration.registerPartner.mutate({ companyName: 'Quay IT', name: 'M', email, password })
  const { page } = await newVisitor()
  await page.goto('/login?next=%2Fdevices')
  await enter(page, { email, password })
  await page.getByRole('heading', { level: 1, name: 'Confirm your email address' }).waitFor()
  await page.getByText(email).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Resend email' }).click()
  await page.getByRole('status').getByText('Email sent').waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Confirm your email address' }).waitFor()
  await page.goto('/devices')
  await page.getByRole('heading', { level: 1, name: 'Confirm your email address' }).waitFor()
  await page.getByRole('button', { name: 'Back to sign-in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
})

test('passkeys are offered at a host name, and not at an IP address', async () => {
  const { page } = await newVisitor()
  await page.goto('/login')
  await page.getByText('Passkeys don’t work at an IP address').waitFor()
  const { port } = new URL(url)
  await page.goto(`http://localhost:${port}/login`)
  await page.getByRole('button', { name: 'Sign in with passkey' }).waitFor()
})

test('a link works while an empty field has the focus, and the form is validated on submit', async () => {
  const { page } = await newVisitor()
  await page.goto('/login')
  await page.getByLabel('Email').focus()
  // The position of the click is fixed before the field loses the focus, as with a mouse.
  const box = await page.getByRole('link', { name: 'Forgot password?' }).boundingBox()
  if (box === null) throw new Error('the link is not visible')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForURL(({ pathname }) => pathname === '/forgot-password')
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Enter your email address').waitFor()
})
