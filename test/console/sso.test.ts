import { startIdentityProvider } from '@muster/testkit/identity-provider.ts'
import { afterAll, expect, test } from 'vitest'
import { clientOf, linkMailedTo, signIn } from './client.ts'
import { enter, newVisitor, stage, visitorAs } from './visitor.ts'

const { acme, umbra, url, outbox } = stage
const idp = await startIdentityProvider({ redirectUris: [`${url}/api/v1/sso/callback`] })
afterAll(() => idp.stop())

/** A user of Umbra's organization with a password and an account at the provider. */
async function member(): Promise<{ email: string; password: string; subject: string }> {
  const client = clientOf(url, (await signIn(url, umbra)).accessToken)
  const { data: roles } = await client.users.users.roles.query({ orgId: umbra.orgId })
  const roleId = roles.find(({ name }) => name === 'Org Viewer')?.id ?? ''
  const subject = `s-${Date.now()}`
  const email = `${subject}@umbra.test`
  const password = 'seven otters under the bridge'
  await client.users.invitations.invite.mutate({ orgId: umbra.orgId, email, name: 'Olga Otter', roleId })
  const [, token = ''] = (await linkMailedTo(outbox, email)).split('#token=')
  await clientOf(url).users.invitations.acceptInvite.mutate({ token, password })
  idp.people.set(subject, { email, email_verified: true, name: 'Olga Otter' })
  return { email, password, subject }
}

test('a provider is created, tested and activated, and its users sign in through it', async () => {
  const { page, complaints } = await visitorAs(umbra, `/sso?org=${umbra.orgId}`)
  await page.getByRole('button', { name: 'Add identity provider' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add identity provider' })
  await form.getByText(`${url}/api/v1/sso/callback`).waitFor()
  await form.getByLabel('Type').selectOption({ label: 'Keycloak' })
  expect(await form.getByLabel('Issuer').inputValue()).toBe('https://{host}/realms/{realm}')
  await form.getByLabel('Type').selectOption({ label: 'Other (OpenID Connect)' })
  await form.getByLabel('Name').fill('Umbra ID')
  await form.getByLabel('Issuer').fill(idp.issuer)
  await form.getByLabel('Client ID').fill(idp.clientId)
  await form.getByLabel('Client secret').fill(idp.clientSecret ?? '')
  await form.getByRole('checkbox', { name: /Require SSO/ }).click()
  await form.getByRole('button', { name: 'Create provider' }).click()
  await page.getByRole('heading', { level: 1, name: 'Umbra ID' }).waitFor()
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('All checks passed').waitFor()
  const who = await member()
  await page.getByRole('button', { name: 'Activate provider' }).click()
  await page.getByRole('dialog').getByText('SSO is then required').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Activate provider' }).click()
  await page.getByText('Active', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog', { name: 'Your SCIM token' }).getByRole('button', { name: 'Done' }).click()
  expect(complaints).toEqual([])

  const guest = await newVisitor()
  await guest.page.goto('/login')
  await enter(guest.page, who)
  await guest.page.getByText('Your organization requires SSO').waitFor()
  await guest.page.getByRole('link', { name: 'Sign in with Umbra ID' }).click()
  await guest.page.getByLabel('Account').fill(who.subject)
  await guest.page.getByRole('button', { name: 'Sign in' }).click()
  await guest.page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  expect(guest.page.url()).not.toContain('ssoCode')

  const stranger = await newVisitor()
  idp.people.set('stranger', { email: 'stranger@elsewhere.test', email_verified: true })
  await stranger.page.goto(`/login?org=${umbra.orgId}`)
  await stranger.page.getByRole('link', { name: 'Sign in with Umbra ID' }).click()
  await stranger.page.getByLabel('Account').fill('stranger')
  await stranger.page.getByRole('button', { name: 'Sign in' }).click()
  await stranger.page.getByRole('alert').getByText('Ask your administrator for an invitation').waitFor()

  await page.getByRole('button', { name: 'Actions for Umbra ID' }).click()
  await page.getByRole('menuitem', { name: 'Delete provider' }).click()
  await page.getByRole('dialog').getByLabel(/^Type/).fill('Umbra ID')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete provider' }).click()
  await page.getByRole('heading', { name: 'No identity providers yet' }).waitFor()
  await guest.page.goto('/devices')
  await guest.page.waitForURL(({ pathname }) => pathname === '/login')
})

test('users of an organization without a provider sign in with a password', async () => {
  const { page, complaints } = await newVisitor()
  await page.goto(`/login?org=${acme.orgId}`)
  await page.getByText('This organization has no identity provider').waitFor()
  await enter(page, acme)
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  expect(complaints).toEqual([])
})
