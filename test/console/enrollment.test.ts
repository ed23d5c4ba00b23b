import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, admin, umbra, url } = stage

/** The public key of a new machine. */
const publicKey = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? ''

test('a new key shows the install command, waits for its device and reports it', async () => {
  const { page, complaints } = await visitorAs(umbra, '/enrollment')
  await page.getByRole('button', { name: 'New enrollment key' }).first().click()
  const form = page.getByRole('dialog', { name: 'New enrollment key' })
  await form.getByLabel('Name').fill('Reception')
  await form.getByLabel('Organization').selectOption(umbra.orgName)
  await form.getByRole('button', { name: 'Create key' }).click()
  const steps = page.getByRole('dialog', { name: 'Your enrollment key' })
  const line = (await steps.locator('code').first().textContent()) ?? ''
  expect(line).toContain(`curl -fsSL ${url}/api/v1/agents/install.sh -o `)
  await steps.getByRole('tab', { name: 'Windows' }).click()
  const onWindows = (await steps.locator('code').first().textContent()) ?? ''
  expect(onWindows).toMatch(/^powershell -NoProfile -ExecutionPolicy Bypass -Command "/)
  expect(onWindows).toContain(`${url}/api/v1/agents/install.ps1`)
  await steps.getByRole('tab', { name: 'Windows' }).press('ArrowRight')
  await steps.getByRole('tab', { name: 'macOS', selected: true }).waitFor()
  expect(await steps.locator('code').first().textContent()).toBe(line)
  await steps.getByText('No agent version for macOS is published').waitFor()
  const enrollmentKey = (await steps.locator('code').nth(1).textContent()) ?? ''
  expect(enrollmentKey).toMatch(/^mek_/)
  expect(line).not.toContain('mek_')
  await steps.getByRole('button', { name: 'Create install code' }).click()
  await steps.getByText('The code expires on').waitFor()
  await steps.getByText('Waiting for the first device to report').waitFor()
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
  await row.getByRole('button', { name: 'Actions for Reception' }).click()
  await page.getByRole('menuitem', { name: 'Delete key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click()
  await page.getByRole('heading', { name: 'No enrollment keys yet' }).waitFor()
  expect(complaints).toEqual([])
})

test('a bookmark of the former address leads to the enrollment keys', async () => {
  const { page } = await visitorAs(acme, `/enrolment?org=${acme.orgId}`)
  await page.waitForURL(
    ({ pathname, searchParams }) => pathname === '/enrollment' && searchParams.get('org') === acme.orgId,
  )
  await page.getByRole('heading', { level: 1, name: 'Enrollment' }).waitFor()
})

test('a pin keeps an organization at a version, and its removal can be undone', async () => {
  const { page, complaints } = await visitorAs(acme, '/agent-versions?tab=pins')
  await page.getByRole('button', { name: 'New pin' }).first().click()
  const form = page.getByRole('dialog', { name: 'New pin' })
  await form.getByLabel('Organization').selectOption(acme.orgName)
  await form.getByLabel('Reason').fill('The bakery is busy before Christmas')
  await form.getByRole('button', { name: 'Create pin' }).click()
  const row = page.getByRole('row').filter({ hasText: `All of ${acme.orgName}` })
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('heading', { name: 'No pins yet' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText('before Christmas').waitFor()
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('heading', { name: 'No pins yet' }).waitFor()
  expect(complaints).toEqual([])
})

test('the emergency stop shows its reason and is lifted after a confirmation', async () => {
  const { page, complaints } = await visitorAs(admin, '/agent-versions')
  const stop = page.getByRole('region', { name: 'Emergency stop' })
  await stop.getByRole('button', { name: 'Stop all updates' }).click()
  const form = page.getByRole('dialog', { name: 'Stop all updates' })
  await form.getByLabel('Reason').fill('Disks fill up after the update')
  await form.getByRole('button', { name: 'Stop all updates' }).click()
  await stop.getByText('Disks fill up after the update').waitFor()
  await stop.getByRole('button', { name: 'Resume updates' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume updates' }).click()
  await stop.getByText('Updates are on').waitFor()
  await page.getByRole('button', { name: 'New rollout' }).first().click()
  await page.getByRole('dialog', { name: 'New rollout' }).getByText('No versions yet').waitFor({ state: 'attached' })
  expect(complaints).toEqual([])
})
