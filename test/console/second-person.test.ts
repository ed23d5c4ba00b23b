import { expect, test } from 'vitest'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { umbra } = stage

test('a request to turn off approval shows when it applies, and is withdrawn', async () => {
  const { page, complaints } = await visitorAs(umbra, '/settings')
  await page.getByRole('button', { name: 'Require approval' }).click()
  await page.getByRole('button', { name: 'Turn off approval' }).click()
  await page.getByText('It applies after 24 hours').waitFor()
  await page.getByRole('button', { name: 'Send request' }).click()
  const pending = page.getByRole('status').filter({ hasText: 'to turn this off' })
  await pending.getByText(/^You requested/).waitFor()
  const [asked = 0, ends = 0] = await pending
    .locator('time')
    .evaluateAll((times) => times.map((time) => Date.parse(time.getAttribute('datetime') ?? '')))
  expect(ends - asked).toBe(86_400_000)
  await expectAccessible(page)
  await page.reload()
  await pending.waitFor()
  await page.getByRole('button', { name: 'Withdraw request' }).click()
  await pending.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Turn off approval' }).waitFor()
  expect(complaints).toEqual([])
})
