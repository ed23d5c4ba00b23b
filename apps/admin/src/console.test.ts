import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testServer } from './testing/server.ts'

describe("the console's files", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-console-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<meta property="csp-nonce" nonce="__NONCE__"><div id="console"></div>')
  await writeFile(join(folder, 'assets/main-abc123.js'), 'plain')
  await writeFile(join(folder, 'assets/main-abc123.js.br'), 'packed')
  const app = await testServer({
    operations: [],
    consoleFolder: folder,
  })
  afterAll(async () => {
    await app.close()
    await rm(folder, { recursive: true })
  })
  const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  it('answer each screen path with the page and a new nonce, and allow no inline script', async () => {
    const nonces = new Set<string>()
    for (const url of ['/', '/devices', '/devices/1?tab=files', '/login']) {
      const { statusCode, headers, body } = await app.inject({ url, headers: asBrowser })
      const [, nonce = ''] = /nonce="([^"]+)"/.exec(body) ?? []
      const policy = String(headers['content-security-policy'])
      expect([statusCode, headers['cache-control']]).toEqual([200, 'no-cache'])
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
      expect(policy).toContain("script-src 'self';")
      expect(policy).not.toContain('unsafe')
      nonces.add(nonce)
    }
    expect(nonces.size).toBe(4)
  })

  it('do not replace errors of the API: unknown paths below it return 404 in its error format', async () => {
    for (const url of [
      '/api',
      '/api/v1/nothing',
      '/trpcx/../api/x',
      '/scim/v2/nothing',
      '/docs/nothing',
      '/assets/gone.js',
    ]) {
      const answer = await app.inject({ url, headers: asBrowser })
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 404, 'NOT_FOUND'])
    }
    const program = await app.inject({ url: '/devices', headers: { accept: 'application/json' } })
    expect([program.statusCode, program.json().code]).toEqual([404, 'NOT_FOUND'])
    expect((await app.inject({ url: '/devices', method: 'POST', headers: asBrowser })).statusCode).toBe(404)
  })

  it('with a hash in their name are cached permanently and sent compressed to clients that accept it', async () => {
    const plain = await app.inject({ url: '/assets/main-abc123.js' })
    expect([plain.body, plain.headers['cache-control']]).toEqual(['plain', 'public, max-age=31536000, immutable'])
    const packed = await app.inject({ url: '/assets/main-abc123.js', headers: { 'accept-encoding': 'gzip, br' } })
    expect([packed.body, packed.headers['content-encoding']]).toEqual(['packed', 'br'])
    expect(packed.headers['content-type']).toMatch(/javascript/)
  })
})
