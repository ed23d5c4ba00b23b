import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, admin, umbra, url } = stage

/** A machine as its agent enrols it: the public half of a key of its own. */
const publicKey = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? ''

test('a new key comes with the line that installs, waits for its machine, and says when it is there', async () => {
  const { page, complaints } = await visitorAs(umbra, '/enrolment')
  await page.getByRole('button', { name: 'New enrolment key' }).first().click()
  const form = page.getByRole('dialog', { name: 'New enrolment key' })
  await form.getByLabel('Name').fill('Reception')
  await form.getByLabel('Organisation').selectOption(umbra.orgName)
  await form.getByRole('button', { name: 'Make the key' }).click()
  const steps = page.getByRole('dialog', { name: 'Your enrolment key' })
  const line = (await steps.locator('code').first().textContent()) ?? ''
  expect(line).toContain(`curl -fsSL ${url}/api/v1/agents/install.sh -o `)
  const enrollmentKey = (await steps.locator('code').nth(1).textContent()) ?? ''
  expect(enrollmentKey).toMatch(/^mek_/)
  expect(line).not.toContain('mek_')
  await steps.getByRole('button', { name: 'Make a short code' }).click()
  await steps.getByText('The code is good until').waitFor()
  await steps.getByText('Waiting for the first machine to report').waitFor()
  const { deviceId } = await clientOf(url).enrollment.agents.enroll.mutate({
    enrollmentKey,
    hostname: 'newcomer',
    osType: 'linux',
    architecture: 'x64',
    agentVersion: '0.1.0',
    publicKey: publicKey(),
  })
  await steps.getByText('newcomer').waitFor()
  const client = clientOf(url, (await signIn(url, umbra)).accessToken)
  await client.lifecycle.lifecycle.remove.mutate({ id: deviceId })
  await steps.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Reception' })
  await row.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No enrolment keys yet' }).waitFor()
  expect(complaints).toEqual([])
})

test('a pin keeps an organisation with a version; taking it away can be undone', async () => {
  const { page, complaints } = await visitorAs(acme, '/agent-versions?tab=pins')
  await page.getByRole('button', { name: 'New pin' }).first().click()
  const form = page.getByRole('dialog', { name: 'New pin' })
  await form.getByLabel('Organisation').selectOption(acme.orgName)
  await form.getByLabel('Why').fill('The bakery is busy before Christmas')
  await form.getByRole('button', { name: 'Pin it' }).click()
  const row = page.getByRole('row').filter({ hasText: `All of ${acme.orgName}` })
  await row.getByRole('button', { name: 'Take away' }).click()
  await page.getByRole('heading', { name: 'Nothing is pinned' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText('before Christmas').waitFor()
  await row.getByRole('button', { name: 'Take away' }).click()
  await page.getByRole('heading', { name: 'Nothing is pinned' }).waitFor()
  expect(complaints).toEqual([])
})

test('the emergency stop says why to everybody who looks, and is lifted after a question', async () => {
  const { page, complaints } = await visitorAs(admin, '/agent-versions')
  const stop = page.getByRole('region', { name: 'Emergency stop' })
  await stop.getByRole('button', { name: 'Stop all updates' }).click()
  const form = page.getByRole('dialog', { name: 'Stop all updates' })
  await form.getByLabel('Why').fill('Disks fill up after the update')
  await form.getByRole('button', { name: 'Stop them' }).click()
  await stop.getByText('Disks fill up after the update').waitFor()
  await stop.getByRole('button', { name: 'Allow updates again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Allow updates' }).click()
  await stop.getByText('Updates are allowed').waitFor()
  await page.getByRole('button', { name: 'New rollout' }).click()
  await page.getByRole('dialog', { name: 'New rollout' }).getByText('None is published').waitFor({ state: 'attached' })
  expect(complaints).toEqual([])
})
