import { startIdentityProvider } from '@muster/testkit/identity-provider.ts'
import { afterAll, expect, test } from 'vitest'
import { clientOf, linkMailedTo, signIn } from './client.ts'
import { enter, newVisitor, stage, visitorAs } from './visitor.ts'

const { acme, umbra, url, outbox } = stage
const idp = await startIdentityProvider({ redirectUris: [`${url}/api/v1/sso/callback`] })
afterAll(() => idp.stop())

/** Somebody of Umbra's organisation, with a password, whom the provider knows too. */
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

test('a provider is added, tested step by step, activated and made the only way in, and its people come in through it', async () => {
  const { page, complaints } = await visitorAs(umbra, `/sso?org=${umbra.orgId}`)
  await page.getByRole('button', { name: 'Add a provider' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add an identity provider' })
  await form.getByLabel('Kind').selectOption({ label: 'Keycloak' })
  expect(await form.getByLabel('Issuer').inputValue()).toBe('https://{host}/realms/{realm}')
  await form.getByLabel('Kind').selectOption({ label: 'Another that speaks OpenID Connect' })
  await form.getByLabel('Name').fill('Umbra ID')
  await form.getByLabel('Issuer').fill(idp.issuer)
  await form.getByLabel('Client id').fill(idp.clientId)
  await form.getByLabel('Client secret').fill(idp.clientSecret ?? '')
  await form.getByRole('checkbox', { name: /The only way in/ }).click()
  await form.getByRole('button', { name: 'Add and look at it' }).click()
  await page.getByRole('heading', { level: 1, name: 'Umbra ID' }).waitFor()
  await page.getByRole('button', { name: 'Run the test' }).click()
  await page.getByText('Everything is right. It can be activated').waitFor()
  const who = await member()
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('dialog').getByText('it is the only way in').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click()
  await page.getByText('Active', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make' }).click()
  await page.getByRole('dialog', { name: 'Your SCIM token' }).getByRole('button', { name: 'Done' }).click()
  expect(complaints).toEqual([])

  const guest = await newVisitor()
  await guest.page.goto('/login')
  await enter(guest.page, who)
  await guest.page.getByText('lets its people in through its provider alone').waitFor()
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
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByLabel(/^Type/).fill('Umbra ID')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No identity providers yet' }).waitFor()
  await guest.page.goto('/devices')
  await guest.page.waitForURL(({ pathname }) => pathname === '/login')
})

test('an organisation without a provider is told so, and its password way stays', async () => {
  const { page, complaints } = await newVisitor()
  await page.goto(`/login?org=${acme.orgId}`)
  await page.getByText('This organisation has no sign-in provider').waitFor()
  await enter(page, acme)
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  expect(complaints).toEqual([])
})
