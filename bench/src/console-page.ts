// Measurements in a browser while a user works in the console. The code runs in the page, so it is text here.
import { launchBrowser } from '@muster/testkit/browser.ts'
import { z } from 'zod'
import type { Person } from './people.ts'
import { pause } from './waiting.ts'

const lookMs = 2_000
type Browser = Awaited<ReturnType<typeof launchBrowser>>
type BrowserPage = Awaited<ReturnType<Browser['newPage']>>

const millis = z.number()
const Scrolled = z.object({ frames: z.int(), incomplete: z.int(), slow: z.int(), pixels: z.number() })
export type Scrolled = z.infer<typeof Scrolled>
const Heap = z.object({ usedSize: z.number() })

/** Resolves with the time since `began` as soon as the condition holds. */
const prelude = `
  globalThis.benchWhen = (looksSo, began) => new Promise((done) => {
    const check = () => {
      if (!looksSo()) return false
      done(performance.now() - began)
      return true
    }
    if (check()) return
    const watch = new MutationObserver(() => { if (check()) watch.disconnect() })
    watch.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  })
  globalThis.benchRows = () => [...document.querySelectorAll('main [data-row]')]
  globalThis.benchLink = (name) => [...document.querySelectorAll('nav[aria-label="Screens"] a')].find((link) => link.textContent.trim() === name)
`

/** A user at the console, timed by the browser's own clock. */
export class ConsolePage {
  readonly #browser: Browser
  readonly #page: BrowserPage

  private constructor(browser: Browser, page: BrowserPage) {
    this.#browser = browser
    this.#page = page
  }

  /** Signs a user in, in a separate browser. */
  static async open(url: string, { email, password }: Person): Promise<ConsolePage> {
    const browser = await launchBrowser()
    const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(prelude)
    await page.goto('/login')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    return new ConsolePage(browser, page)
  }

  stop = () => this.#browser.close()

  /** From the click on “Devices” to the first rows, after a moment on the overview. */
  async firstRows(): Promise<number> {
    await this.#page.goto('/')
    await this.#page.getByRole('link', { name: 'Devices', exact: true }).waitFor()
    await pause(lookMs)
    return this.#time(`() => {
      const began = performance.now()
      benchLink('Devices').click()
      return benchWhen(() => benchRows().length > 0, began)
    }`)
  }

  /** From the last key to a list in which every row contains the word. */
  async search(word: string): Promise<number> {
    return this.#time(`() => {
      const field = document.querySelector('main input[type="search"]')
      const began = performance.now()
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(word)})
      field.dispatchEvent(new Event('input', { bubbles: true }))
      const found = () => benchRows().length > 0 && benchRows().every((row) => row.textContent.includes(${JSON.stringify(word)}))
      return benchWhen(found, began)
    }`)
  }

  /** Shows the whole list again. */
  async clearSearch(): Promise<void> {
    await this.#page.goto('/devices')
    await this.#page.locator('main [data-row]').first().waitFor()
  }

  /** The device of the first row. */
  async firstDevice(): Promise<string> {
    return z.string().parse(await this.#page.evaluate('benchRows()[0].dataset.row'))
  }

  /** The time from the start of `cause` until the row of a device shows a word. */
  async untilRowSays(deviceId: string, word: string, cause: () => Promise<unknown>): Promise<number> {
    const row = `document.querySelector('main [data-row="${deviceId}"]')`
    const seen = this.#page.evaluate(
      `benchWhen(() => ${row}?.textContent.includes(${JSON.stringify(word)}), 0).then(() => Date.now())`,
    )
    const began = Date.now()
    await cause()
    return millis.parse(await seen) - began
  }

  /** Scrolls down at a steady pace, and counts the frames with a visible position without a row. */
  async scroll(pixelsPerSecond: number, seconds: number): Promise<Scrolled> {
    return Scrolled.parse(
      await this.#page.evaluate(`new Promise((done) => {
        const scroller = document.querySelector('main [role="table"]').parentElement
        scroller.scrollTop = 0
        const began = performance.now()
        let [before, frames, incomplete, slow] = [began, 0, 0, 0]
        const isWhole = () => {
          const { top, bottom } = scroller.getBoundingClientRect()
          const head = scroller.querySelector('[role="rowgroup"]').getBoundingClientRect().bottom
          let covered = Math.max(top, head)
          const rects = benchRows().map((row) => row.getBoundingClientRect()).sort((a, b) => a.top - b.top)
          for (const rect of rects) if (rect.top <= covered + 2) covered = Math.max(covered, rect.bottom)
          return covered >= bottom - 2
        }
        const frame = (now) => {
          frames++
          if (!isWhole()) incomplete++
          if (now - before > 50) slow++
          scroller.scrollTop += (${pixelsPerSecond} * (now - before)) / 1000
          before = now
          if (now - began < ${seconds * 1000}) requestAnimationFrame(frame)
          else done({ frames, incomplete, slow, pixels: scroller.scrollTop })
        }
        requestAnimationFrame(frame)
      })`),
    )
  }

  /** From jumping to a distant row until the rows around it are shown. */
  async jump(row: number): Promise<number> {
    return this.#time(`() => {
      const field = document.getElementById('go-to-row')
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${row}')
      field.dispatchEvent(new Event('input', { bubbles: true }))
      const began = performance.now()
      setTimeout(() => field.form.requestSubmit())
      return benchWhen(() => document.querySelector('main [data-row][aria-rowindex="${row + 1}"]') !== null, began)
    }`)
  }

  /** Bytes that the page's scripts use after a garbage collection. */
  async heapBytes(): Promise<number> {
    const session = await this.#page.context().newCDPSession(this.#page)
    await session.send('HeapProfiler.collectGarbage')
    const usage: unknown = await session.send('Runtime.getHeapUsage')
    await session.detach()
    return Heap.parse(usage).usedSize
  }

  async #time(code: string): Promise<number> {
    return millis.parse(await this.#page.evaluate(`(${code})()`))
  }
}
