import { expect, test } from 'vitest'
import { stage, visitorAs } from './visitor.ts'

const { acme } = stage

test('all commands are stopped with a reason that all screens show, and allowed again', async () => {
  const { page, complaints } = await visitorAs(acme, '/approvals')
  await page.getByRole('heading', { name: 'No pending approvals' }).waitFor()
  await page.getByRole('button', { name: 'Stop all commands' }).click()
  const form = page.getByRole('dialog', { name: 'Stop all commands' })
  await form.getByLabel('Reason').fill('A script went wrong')
  await form.getByRole('button', { name: 'Stop all commands' }).click()
  await form.waitFor({ state: 'hidden' })
  await page.goto(`/devices/${acme.deviceId}?tab=processes`)
  const banner = page.getByRole('region', { name: 'Commands are stopped' })
  await banner.getByText('A script went wrong').waitFor()
  await banner.getByRole('button', { name: 'Resume commands' }).click()
  await page.getByRole('dialog', { name: 'Resume commands?' }).getByRole('button', { name: 'Resume commands' }).click()
  await banner.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('button', { name: /^End / }).first().waitFor()
  // What the machine was asked while commands were stopped is refused, which the browser notes.
  expect(complaints.filter((each) => !each.includes('409'))).toEqual([])
})
