import { expect, test } from 'vitest'

import { enter, expectAccessible, newVisitor, stage } from './visitor.ts'

const { acme } = stage

test('somebody signs in where it wanted to go, reloads, and is still there', async () => {
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
