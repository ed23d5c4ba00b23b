import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useProxy } from './config.ts'
import { proxyFor, useSystemProxies } from './proxy.ts'
import { FakeServer } from './testing/fake-server.ts'
import { spawnAgent } from './testing/test-agent.ts'
import { testAuthority } from './testing/test-authority.ts'
import { TestProxy } from './testing/test-proxy.ts'
import { download } from './update/download.ts'

const way = (address: string, environment: Record<string, string>) => proxyFor(new URL(address), environment)?.href

describe('the proxy for an address', () => {
  test.each([
    ['https://muster.example.com', { https_proxy: 'http://a:1' }, 'http://a:1/'],
    ['wss://muster.example.com/agent', { HTTPS_PROXY: 'http://a:1' }, 'http://a:1/'],
    ['ws://muster.example.com/agent', { http_proxy: 'http://b:2', https_proxy: 'http://a:1' }, 'http://b:2/'],
    ['http://muster.example.com', { https_proxy: 'http://a:1' }, undefined],
    ['http://muster.example.com', { all_proxy: 'c:3' }, 'http://c:3/'],
    ['https://muster.example.com', { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:2' }, 'http://a:1/'],
    ['https://muster.example.com', {}, undefined],
    ['https://muster.example.com', { https_proxy: '' }, undefined],
  ])('%s with %j', (address, environment, proxy) => {
    expect(way(address, environment)).toBe(proxy)
  })

  test.each([
    ['https://muster.example.com', 'example.com', true],
    ['https://muster.example.com', '.example.com, other.test', true],
    ['https://muster.example.com', '*.example.com', true],
    ['https://example.com', 'muster.example.com', false],
    ['https://notexample.com', 'example.com', false],
    ['https://MUSTER.example.com', 'other.test muster.EXAMPLE.com', true],
    ['https://muster.example.com', 'muster.example.com:443', true],
    ['https://muster.example.com:8443', 'muster.example.com:443', false],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]:8443', '[fd00::1]:8443', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://muster.example.com', '*', true],
    ['https://muster.example.com', '', false],
  ])('%s bypasses it when no_proxy is "%s": %j', (address, list, isExempt) => {
    const proxy = way(address, { https_proxy: 'http://a:1', no_proxy: list })
    expect(proxy).toBe(isExempt ? undefined : 'http://a:1/')
  })

  test('reports an invalid proxy address without its password', () => {
    for (const proxy of ['socks5://me:secret@a:1', 'http://'])
      expect(() => way('https://x.test', { https_proxy: proxy })).toThrow(
        /^the proxy setting is not the address of an HTTP proxy$/,
      )
  })
})

describe('through a proxy', () => {
  let proxy: TestProxy
  let server: FakeServer
  let folder: string
  beforeEach(async () => {
    proxy = await TestProxy.start()
    server = await FakeServer.start()
    folder = await mkdtemp(join(tmpdir(), 'muster-proxy-'))
  })
  afterEach(async () => {
    await server.stop()
    await proxy.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const args = () => ['--server', server.url, '--data-dir', folder]

  test('enrolls and connects with the credentials in the address', async () => {
    proxy.wants = `Basic ${Buffer.from('me:pass word').toString('base64')}`
    const http_proxy = proxy.url.replace('//', '//me:pass%20word@')
    await using agent = spawnAgent('src/main.ts', args(), { http_proxy })
    await server.until(() => server.isConnected)
    expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${server.port}`]))
    expect(proxy.asked.length).toBeGreaterThanOrEqual(2)
    expect(agent.output()).not.toContain('pass')
  })

  test('uses the proxy of the command line', async () => {
    await using _ = spawnAgent('src/main.ts', [...args(), '--proxy', proxy.url], { http_proxy: 'http://127.0.0.1:1' })
    await server.until(() => server.isConnected)
    expect(proxy.asked.length).toBeGreaterThanOrEqual(2)
  })

  test('bypasses the proxy for hosts in no_proxy', async () => {
    await using _ = spawnAgent('src/main.ts', args(), { http_proxy: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.0/8' })
    await server.until(() => server.isConnected)
    expect(proxy.asked).toEqual([])
  })

  test('reports a proxy that refuses, and retries', async () => {
    proxy.wants = 'Basic stranger'
    await using agent = spawnAgent('src/main.ts', args(), { http_proxy: proxy.url })
    while (!/the proxy 127\.0\.0\.1:\d+ answered 407/.test(agent.output())) await pause(20)
    proxy.wants = undefined
    await server.until(() => server.isConnected)
  })

  test('fetches executables', async () => {
    server.behavior.answersGet = (_request, response) => response.end('0123456789')
    useProxy(proxy.url)
    await download({ url: `${server.url}/agent`, file: join(folder, 'part'), bytes: 10 }).finally(() => useProxy(''))
    expect(proxy.asked).toEqual([`127.0.0.1:${server.port}`])
  })
})

describe('with proxies of the system', () => {
  let proxy: TestProxy
  let server: FakeServer
  let folder: string
  beforeEach(async () => {
    proxy = await TestProxy.start()
    server = await FakeServer.start()
    server.behavior.answersGet = (_request, response) => response.end('0123456789')
    folder = await mkdtemp(join(tmpdir(), 'muster-proxy-'))
  })
  afterEach(async () => {
    useSystemProxies(undefined)
    useProxy('')
    await server.stop()
    await proxy.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const fetched = () => download({ url: `${server.url}/agent`, file: join(folder, 'part'), bytes: 10 })

  test('uses the first one that works', async () => {
    const asked: string[] = []
    useSystemProxies(async ({ host }) => {
      asked.push(host)
      return ['http://127.0.0.1:1', proxy.url]
    })
    await fetched()
    expect(asked).toEqual([`127.0.0.1:${server.port}`])
    expect(proxy.asked).toEqual([`127.0.0.1:${server.port}`])
  })

  test.each([
    ['has none', async () => []],
    ['does not answer', () => Promise.reject(new Error('too late'))],
  ])('connects directly when the system %s', async (_, find) => {
    useSystemProxies(find)
    await fetched()
    expect(proxy.asked).toEqual([])
  })

  test('prefers the proxy of the settings', async () => {
    useSystemProxies(async () => ['http://127.0.0.1:1'])
    useProxy(proxy.url)
    await fetched()
    expect(proxy.asked).toHaveLength(1)
  })

  test('connects to a server with TLS directly', async () => {
    const authority = await testAuthority(folder)
    const secure = await FakeServer.start(0, authority.server)
    secure.behavior.answersGet = (_request, response) => response.end('0123456789')
    const fetching = `import { useSystemProxies } from './src/proxy.ts'
      import { download } from './src/update/download.ts'
      useSystemProxies(async () => [])
      await download({ url: '${secure.url}/agent', file: '${join(folder, 'part')}', bytes: 10 })`
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    const env = { NODE_EXTRA_CA_CERTS: authority.root }
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', fetching], { cwd, env }).finally(() =>
      secure.stop(),
    )
    expect(await readFile(join(folder, 'part'), 'utf8')).toBe('0123456789')
  })
})

describe('through a proxy to a server with TLS', () => {
  let proxy: TestProxy
  let server: FakeServer
  let folder: string
  let root: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-tls-'))
    const authority = await testAuthority(folder)
    root = authority.root
    proxy = await TestProxy.start()
    server = await FakeServer.start(0, authority.server)
  })
  afterAll(async () => {
    await server?.stop()
    await proxy?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const args = (name: string) => ['--server', server.url, '--data-dir', join(folder, name)]

  test('enrolls, connects and fetches inside the tunnel when it trusts the certificate authority', async () => {
    const environment = { https_proxy: proxy.url, http_proxy: 'http://127.0.0.1:1', NODE_EXTRA_CA_CERTS: root }
    {
      await using _ = spawnAgent('src/main.ts', args('known'), environment)
      await server.until(() => server.isConnected)
    }
    const upTo = proxy.asked.length
    expect(upTo).toBeGreaterThanOrEqual(2)
    server.behavior.answersGet = (_request, response) => response.end('0123456789')
    const file = join(folder, 'part')
    const fetching = `import { download } from './src/update/download.ts'
      await download({ url: '${server.url}/agent', file: '${file}', bytes: 10 })`
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', fetching], {
      cwd,
      env: environment,
    })
    expect(await readFile(file, 'utf8')).toBe('0123456789')
    expect(proxy.asked.length).toBe(upTo + 1)
    expect(new Set(proxy.asked)).toEqual(new Set([`localhost:${server.port}`]))
  })

  test('sends nothing to a server of an untrusted certificate authority', async () => {
    const before = server.enrollments.length
    await using agent = spawnAgent('src/main.ts', args('unknown'), { https_proxy: proxy.url })
    while (!/cannot enroll yet: .*(self-signed certificate|unable to verify|unable to get)/.test(agent.output()))
      await pause(20)
    expect(server.enrollments).toHaveLength(before)
  })
})
