// Pictures of every screen for docs/screens, from a running Muster: `npm start -- --demo 2000`, then
//   node scripts/screens.ts http://127.0.0.1:3000 admin@muster.local <password>
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@muster/testkit/browser.ts'
import type { Page } from 'playwright-core'

const [url = '', email = '', password = ''] = process.argv.slice(2)
const folder = fileURLToPath(new URL('../docs/screens/', import.meta.url))
const settleMs = 4_000

async function shoot(page: Page, path: string, name: string) {
  await page.goto(path)
  await page.waitForTimeout(settleMs)
  await page.screenshot({ path: `${folder}${name}.png` })
}

mkdirSync(folder, { recursive: true })
const browser = await launchBrowser()
for (const theme of ['light', 'dark'] as const) {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
  })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  for (const path of ['login', 'forgot-password', 'register-partner']) await shoot(page, `/${path}`, `${path}-${theme}`)
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(({ pathname }) => pathname === '/')
  await shoot(page, '/', `overview-${theme}`)
  await shoot(page, '/devices', `devices-${theme}`)
  const link = await page.locator('[data-row] a').first().getAttribute('href')
  for (const tab of ['overview', 'inventory', 'commands', 'run']) {
    await shoot(page, `${link?.split('?')[0]}?tab=${tab}`, `device-${tab}-${theme}`)
  }
  await shoot(page, '/account', `account-${theme}`)
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').waitFor()
  await page.screenshot({ path: `${folder}palette-${theme}.png` })
  await context.close()
}
await browser.close()
