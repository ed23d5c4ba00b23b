// The whole way in a real browser: our page, the provider's page, back, and the code exchanged from the page that it comes to.
import { launchBrowser } from '@muster/testkit/browser.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { connected, member, startProviders } from './connected.ts'
import { providerNetworks, startSite } from './site.ts'

// The least that a sign-in page does; it is a page of ours because the cookie and the code are.
const page = `<!doctype html><title>Muster</title><p id="said">…</p><script src="/sign-in-page.js"></script>`
const script = `(async () => {
  const said = document.getElementById('said')
  const code = /ssoCode=([\\w-]+)/.exec(location.hash)?.[1]
  const error = new URLSearchParams(location.search).get('error')
  history.replaceState(null, '', location.pathname)
  if (code === undefined) { said.textContent = error ?? 'nothing'; return }
  const answer = await fetch('/api/v1/sso/exchange', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) })
  const { user } = await answer.json()
  const refreshed = await fetch('/api/v1/auth/refresh', { method: 'POST', headers: { 'x-service-csrf': '1', 'content-type': 'application/json' }, body: '{}' })
  said.textContent = answer.status + ' ' + (user?.email ?? '') + ' ' + refreshed.status
})()`
const site = await startSite(providerNetworks, { '/login': page, '/sign-in-page.js': script })
const { idp } = await startProviders(site)
const browser = await launchBrowser()
afterAll(() => browser.close())

describe('in Chromium', () => {
  it('somebody signs in through the provider, and the cookie that comes with the tokens prolongs the session', async () => {
    const there = await world()
    await connected(there, idp)
    const { subject, email } = await member(there, idp)
    const tab = await (await browser.newContext()).newPage()
    await tab.goto(`${site.url}/api/v1/sso/login/${there.org.id}`)
    expect(new URL(tab.url()).origin).toBe(idp.issuer)
    await tab.getByLabel('Account').fill(subject)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL(`${site.url}/login**`)
    await tab.getByText(email).waitFor({ timeout: 60_000 })
    expect(await tab.locator('#said').textContent()).toBe(`200 ${email} 200`)
    expect(tab.url()).toBe(`${site.url}/login`)
  }, 180_000)

  it('somebody who is refused comes back with the reason', async () => {
    const there = await world()
    const elsewhere = await world()
    await connected(there, idp)
    const { subject } = await member(elsewhere, idp)
    const tab = await (await browser.newContext()).newPage()
    await tab.goto(`${site.url}/api/v1/sso/login/${there.org.id}`)
    await tab.getByLabel('Account').fill(subject)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByText('no_org_access').waitFor({ timeout: 60_000 })
  }, 180_000)
})
