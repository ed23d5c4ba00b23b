// A person with a browser: signs in, looks, and everything that the browser complains about is kept.
import { launchBrowser } from '@muster/testkit/browser.ts'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, expect, inject } from 'vitest'
import { z } from 'zod'

const Found = z.array(
  z.object({ id: z.string(), impact: z.string().nullable(), nodes: z.array(z.object({ html: z.string() })) }),
)

export interface Visitor {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser has complained about: errors, refused requests, broken rules of the content security policy. */
  readonly complaints: string[]
}

export const stage = inject('stage')

let browser: Promise<Browser> | undefined
afterAll(async () => (await browser)?.close())

/** Opens a browser of its own, as another person at another machine would. */
export async function newVisitor(): Promise<Visitor> {
  browser ??= launchBrowser()
  const context = await (await browser).newContext({
    baseURL: stage.url,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
  })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  return { page, context, complaints }
}

/** Fills in the sign-in form. */
export async function enter(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** A browser in which a user is signed in, at a path. */
export async function visitorAs(who: { email: string; password: string }, path = '/'): Promise<Visitor> {
  const visitor = await newVisitor()
  await visitor.page.goto(`/login?next=${encodeURIComponent(path)}`)
  await enter(visitor.page, who)
  await visitor.page.waitForURL((url) => url.pathname !== '/login')
  // The sign-in page has a heading too: what only the shell has says that it is there.
  await visitor.page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  await visitor.page.getByRole('heading', { level: 1 }).waitFor()
  // Shortcuts are heard from the frame after the first on.
  await visitor.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  return visitor
}

/** Colors fade from one theme to the other: resolves after two frames in which none does. */
const untilStill = `(async () => {
  for (let still = 0; still < 2; still++) {
    await new Promise(requestAnimationFrame)
    const fading = document.getAnimations().filter((each) => each instanceof CSSTransition)
    if (fading.length > 0) still = -1
    await Promise.allSettled(fading.map(({ finished }) => finished))
  }
})()`

/** Fails when axe finds something serious on the page. The dark theme differs in its colors only. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  await expectNothingFound(page, {})
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.evaluate(untilStill)
  await expectNothingFound(page, { runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: 'light' })
}

async function expectNothingFound(page: Page, options: { runOnly?: string[] }): Promise<void> {
  const request = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const found = Found.parse(await page.evaluate(`axe.run(${request}).then(({ violations }) => violations)`))
  const bad = found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  expect(bad, `${page.url()} ${options.runOnly === undefined ? 'in light' : 'in dark'}`).toEqual([])
}
