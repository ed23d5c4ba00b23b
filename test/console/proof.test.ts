import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { acme, stores, url } = stage
const database = new pg.Pool({ connectionString: stores.system, max: 1 })
afterAll(() => database.end())

/** Makes the proof of all open sessions of a user two hours old, and invalidates the server's cache of them. */
async function ageSessions(who: { readonly email: string; readonly password: string }) {
  const client = clientOf(url, (await signIn(url, who)).accessToken)
  await database.query(
    `UPDATE sessions SET authenticated_at = now() - interval '2 hours'
      WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
    [who.email],
  )
  await client.auth.sessions.confirm.mutate({ currentPassword: who.password })
}

test('an old session confirms the password in a second dialog, and the request continues', async () => {
  const { page } = await visitorAs(acme, '/account')
  await page.getByRole('heading', { name: 'Active sessions' }).waitFor()
  await ageSessions(acme)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  const question = page.getByRole('dialog', { name: 'Sign out everywhere else?' })
  await question.getByText('Your API keys are revoked too').waitFor()
  await question.getByRole('checkbox', { name: 'Keep my API keys' }).click()
  await question.getByRole('button', { name: 'Sign out' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await proof.waitFor()
  await expectAccessible(page)
  await proof.getByLabel('Your password').fill('not the password')
  await proof.getByRole('button', { name: 'Confirm' }).click()
  await proof.getByRole('alert').getByText(/\S/).waitFor()
  await proof.getByLabel('Your password').fill(acme.password)
  await proof.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your API keys still work').waitFor()
  await question.waitFor({ state: 'detached' })
})

test('a form keeps its input when the confirmation is canceled', async () => {
  const { page } = await visitorAs(acme, '/api-keys')
  await page.getByRole('button', { name: 'New API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'New API key' })
  await form.getByLabel('Name').fill('Reports')
  await form.getByRole('checkbox', { name: /^See sites/ }).click()
  await ageSessions(acme)
  await form.getByRole('button', { name: 'Create key' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await proof.getByRole('button', { name: 'Close' }).click()
  await proof.waitFor({ state: 'detached' })
  expect(await form.getByLabel('Name').inputValue()).toBe('Reports')
  await form.getByRole('button', { name: 'Create key' }).click()
  await proof.getByLabel('Your password').fill(acme.password)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Your API key' }).waitFor()
})
