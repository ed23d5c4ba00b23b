import { listen, testServer } from '@muster/admin/testing/server.ts'
import { createRuntime, createServices } from '@muster/areas/runtime.ts'
import { createLog } from '@muster/kit/log.ts'
import { ownAddress } from '@muster/testkit/credentials.ts'
import type { ResponseBody } from '@muster/testkit/response-body.ts'
import { testServices } from '@muster/testkit/services.ts'
import { afterAll } from 'vitest'

/** The networks of the identity providers of tests. */
export const providerNetworks = ['127.0.0.1/32']

/** Starts one admin server for the test file. @param pages additional HTML pages and scripts by path */
export async function startSsoServer(
  networks: readonly string[] = providerNetworks,
  pages: Readonly<Record<string, string>> = {},
) {
  const shared = await testServices()
  const settings = { ...shared.settings, ssoNetworks: networks }
  const services = createServices({ ...shared, settings })
  const runtime = createRuntime(services)
  const log = createLog('sso-gate', 'fatal')
  const app = await testServer({
    runtime,
    log,
    // The tests send requests of many clients from one address, as a proxy does.
    trustedProxies: ['127.0.0.1'],
  })
  for (const [path, body] of Object.entries(pages)) {
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    app.get(path, async (_request, reply) => reply.type(type).send(body))
  }
  const url = `http://127.0.0.1:${await listen(app)}`
  afterAll(() => app.close())
  settings.publicUrl = url
  return { url, app, services }
}
export type SsoServer = Awaited<ReturnType<typeof startSsoServer>>

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The page on which the redirects ended. */
export interface Arrival {
  readonly url: URL
  readonly error: string | null
  readonly code: string | null
}

export class BrowserClient {
  readonly #sso: SsoServer
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly #address = ownAddress()

  constructor(sso: SsoServer) {
    this.#sso = sso
  }

  cookies(url = this.#sso.url): Map<string, string> {
    const { host } = new URL(url)
    const own = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, own)
    return own
  }

  /** Sends one request without following redirects. */
  async get(url: string, init: RequestInit = {}): Promise<Page> {
    const jar = this.cookies(url)
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        ...Object.fromEntries(new Headers(init.headers)),
        'x-forwarded-for': this.#address,
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = '', ...rest] = cookie.split(';')
      const [name = '', ...value] = pair.split('=')
      const isGone = rest.some((each) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(each))
      if (isGone) jar.delete(name)
      else jar.set(name, value.join('='))
    }
    return { url, status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  async post(
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: ResponseBody }> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    const { status, text } = await this.get(`${this.#sso.url}/api/v1${path}`, init)
    return { status, body: JSON.parse(text) }
  }

  /** Starts a sign-in. @returns the URL of the provider to which the browser is redirected */
  async begin(orgId: string, query: Record<string, string> = {}): Promise<URL> {
    const path = `/api/v1/sso/login/${orgId}?${new URLSearchParams(query)}`
    const { headers } = await this.get(`${this.#sso.url}${path}`)
    return new URL(headers.get('location') ?? '')
  }

  /** Follows redirects to a page of Muster. */
  async arrive(from: URL | string): Promise<Arrival> {
    let url = new URL(from)
    for (let step = 0; step < 15; step++) {
      const isPage = url.origin === this.#sso.url && !url.pathname.startsWith('/api/')
      if (isPage)
        return { url, error: url.searchParams.get('error'), code: /ssoCode=([\w-]+)/.exec(url.hash)?.[1] ?? null }
      const page = await this.get(url.href)
      const location = page.headers.get('location')
      if (location === null)
        throw new Error(`the browser is stuck at ${url.href}: ${page.status} ${page.text.slice(0, 300)}`)
      url = new URL(location, url)
    }
    throw new Error('too many redirects')
  }

  /** Signs in through the provider with an account at it. */
  async signIn(orgId: string, as: string, query: Record<string, string> = {}): Promise<Arrival> {
    return this.arrive(await this.begin(orgId, { loginHint: as, ...query }))
  }

  exchange(code: string | null) {
    return this.post('/sso/exchange', { code })
  }
}
