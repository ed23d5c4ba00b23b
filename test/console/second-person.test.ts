import { expect, test } from 'vitest'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { umbra } = stage

test('turning the second person off is shown as pending, with its time, and is withdrawn', async () => {
  const { page, complaints } = await visitorAs(umbra, '/settings')
  await page.getByRole('button', { name: 'Ask for a second person' }).click()
  await page.getByRole('button', { name: 'Turn it off' }).click()
  await page.getByText('It counts after 24 hours').waitFor()
  await page.getByRole('button', { name: 'Request it' }).click()
  const pending = page.getByRole('status').filter({ hasText: 'to turn this off' })
  await pending.getByText(/^You requested on/).waitFor()
  const [asked = 0, ends = 0] = await pending
    .locator('time')
    .evaluateAll((times) => times.map((time) => Date.parse(time.getAttribute('datetime') ?? '')))
  expect(ends - asked).toBe(86_400_000)
  await expectAccessible(page)
  await page.reload()
  await pending.waitFor()
  await page.getByRole('button', { name: 'Withdraw the request' }).click()
  await pending.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Turn it off' }).waitFor()
  expect(complaints).toEqual([])
})
