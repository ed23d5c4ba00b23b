import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { umbra, url } = stage

test('a revoked session leads to the sign-in page and from there back', async () => {
  const { page } = await visitorAs(umbra, '/account')
  await page.getByRole('heading', { name: 'Active sessions' }).waitFor()
  const elsewhere = clientOf(url, (await signIn(url, umbra)).accessToken)
  await elsewhere.auth.sessions.revokeOthers.mutate({})
  // No input on the page: the event stream reports the end of the session.
  await page.waitForURL(
    ({ pathname, searchParams }) => pathname === '/login' && searchParams.get('next') === '/account',
  )
})

test('a lost connection is reported, and the input stays until it is back', async () => {
  const { page, context } = await visitorAs(umbra, '/account')
  const name = page.getByLabel('Name')
  await name.fill('Ada with a name half typed')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save profile' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  expect(await name.inputValue()).toBe('Ada with a name half typed')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Save profile' }).click()
  await page.getByText('Name updated').waitFor()
})

test('signing out ends the session of this browser alone, in all of its tabs', async () => {
  const elsewhere = clientOf(url, (await signIn(url, umbra)).accessToken)
  const { page, context } = await visitorAs(umbra, '/')
  const other = await context.newPage()
  await other.goto('/account')
  await other.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(({ pathname }) => pathname === '/login')
  await other.waitForURL(({ pathname }) => pathname === '/login')
  expect((await elsewhere.auth.session.me.query({})).email).toBe(umbra.email)
})
