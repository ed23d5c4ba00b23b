// Single sign-on in a real browser: Muster's page, the provider's page, the callback, and the exchange of the code.
import { launchBrowser } from '@muster/testkit/browser.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { connectProvider, member, startProviders } from './provider-setup.ts'
import { providerNetworks, startSsoServer } from './sso-server.ts'

// A minimal sign-in page. Muster serves it, because the cookie and the code belong to Muster's origin.
const page = `<!doctype html><title>Muster</title><p id="result">…</p><script src="/sign-in-page.js"></script>`
const script = `(async () => {
  const result = document.getElementById('result')
  const code = /ssoCode=([\\w-]+)/.exec(location.hash)?.[1]
  const error = new URLSearchParams(location.search).get('error')
  history.replaceState(null, '', location.pathname)
  if (code === undefined) { result.textContent = error ?? 'nothing'; return }
  const answer = await fetch('/api/v1/sso/exchange', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) })
  const { user } = await answer.json()
  const refreshed = await fetch('/api/v1/auth/refresh', { method: 'POST', headers: { 'x-service-csrf': '1', 'content-type': 'application/json' }, body: '{}' })
  result.textContent = answer.status + ' ' + (user?.email ?? '') + ' ' + refreshed.status
})()`
const sso = await startSsoServer(providerNetworks, { '/login': page, '/sign-in-page.js': script })
const { idp } = await startProviders(sso)
const browser = await launchBrowser()
afterAll(() => browser.close())

describe('in Chromium', () => {
  it('a user signs in through the provider, and the refresh cookie renews the session', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { subject, email } = await member(there, idp)
    const tab = await (await browser.newContext()).newPage()
    await tab.goto(`${sso.url}/api/v1/sso/login/${there.org.id}`)
    expect(new URL(tab.url()).origin).toBe(idp.issuer)
    await tab.getByLabel('Account').fill(subject)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL(`${sso.url}/login**`)
    await tab.getByText(email).waitFor({ timeout: 60_000 })
    expect(await tab.locator('#result').textContent()).toBe(`200 ${email} 200`)
    expect(tab.url()).toBe(`${sso.url}/login`)
  }, 180_000)

  it('a rejected user returns to the sign-in page with the reason', async () => {
    const there = await world()
    const elsewhere = await world()
    await connectProvider(there, idp)
    const { subject } = await member(elsewhere, idp)
    const tab = await (await browser.newContext()).newPage()
    await tab.goto(`${sso.url}/api/v1/sso/login/${there.org.id}`)
    await tab.getByLabel('Account').fill(subject)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByText('no_org_access').waitFor({ timeout: 60_000 })
  }, 180_000)
})
