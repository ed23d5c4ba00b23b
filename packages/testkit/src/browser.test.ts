import { expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'

test('a browser opens a page and deletes its profile at the end', { timeout: 900_000 }, async () => {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.setContent('<button>Press</button>')
    await page.getByRole('button', { name: 'Press' }).click()
    expect(await page.context().cookies()).toEqual([])
  } finally {
    await browser.close()
  }
})
