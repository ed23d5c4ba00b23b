import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  isForbiddenAddress,
  OutgoingConnections,
  requestOutside,
  requireAllowedAddress,
  streamOutside,
} from './outgoing.ts'

/** What the name server says about `turns.test`. */
const turning = vi.hoisted(() => ({ addresses: ['127.0.0.1'] }))
vi.mock('node:dns/promises', async (original) => {
  const dns = await original<typeof import('node:dns/promises')>()
  const ofTest = async () => turning.addresses.map((address) => ({ address, family: 4 }))
  return { ...dns, lookup: (host: string) => (host === 'turns.test' ? ofTest() : dns.lookup(host, { all: true })) }
})

describe('requests to addresses that users give', () => {
  let hits = 0
  const server = createServer((request, response) => {
    hits += 1
    if (request.url === '/large') response.end(Buffer.alloc(100_000))
    else if (request.url === '/moved') response.writeHead(302, { location: '/' }).end()
    else if (request.url === '/endless') response.write('and so on')
    else response.end('hello')
  })
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => void server.close())

  it('never connects to an address inside, however it is written', async () => {
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '2130706433',
      '0x7f.1',
      '127.1',
      '[64:ff9b::7f00:1]',
      '169.254.169.254',
      '10.0.0.1',
      '[fe80::1]',
      '[fc00::1]',
      '100.64.0.1',
      '224.0.0.1',
    ]
    for (const host of hosts) {
      await expect(requestOutside(`http://${host}:${port}/`, { timeoutMs: 2_000 }), host).rejects.toMatchObject({
        status: 400,
      })
    }
    expect(hits).toBe(0)
  })
  it('refuses other protocols and credentials in the address', async () => {
    await expect(requestOutside('file:///etc/passwd')).rejects.toMatchObject({ status: 400 })
    await expect(requestOutside('http://user:secret@example.test/')).rejects.toMatchObject({ status: 400 })
  })
  it('reaches a network that an operator opened, follows no redirect and stops at the size cap', async () => {
    const opened = ['127.0.0.0/8']
    const answer = await requestOutside(`http://127.0.0.1:${port}/`, {}, opened)
    expect([answer.status, answer.body.toString()]).toEqual([200, 'hello'])
    expect((await requestOutside(`http://127.0.0.1:${port}/moved`, {}, opened)).status).toBe(302)
    await expect(requestOutside(`http://127.0.0.1:${port}/large`, { bytesMax: 10_000 }, opened)).rejects.toThrow()
  })
  it('a streamed response that is destroyed unread, or half read, leaves no socket open', async () => {
    const opened = ['127.0.0.0/8']
    const url = `http://127.0.0.1:${port}/endless`
    const streams = await Promise.all(Array.from({ length: 25 }, () => streamOutside(url, {}, opened)))
    const sockets = () => promisify(server.getConnections.bind(server))()
    expect(await sockets()).toBe(25)
    for (const [index, { body }] of streams.entries()) {
      if (index % 2 === 0) await body[Symbol.asyncIterator]().next()
      body.destroy()
    }
    await expect.poll(sockets).toBe(0)
  })
  it('lets public addresses pass', () => {
    expect([
      isForbiddenAddress('93.184.216.34'),
      isForbiddenAddress('2606:4700::1111'),
      isForbiddenAddress('nonsense'),
    ]).toEqual([false, false, true])
  })
})

describe('kept connections', () => {
  const sockets = new Set<number | undefined>()
  const server = createServer((request, response) => {
    sockets.add(request.socket.remotePort)
    if (request.url === '/endless') {
      response.writeHead(200)
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) if (response.destroyed) return
      }
      response.on('drain', pour)
      pour()
    } else if (request.url === '/hangs') response.writeHead(200).write('thank')
    else if (request.url === '/moved') response.writeHead(302, { location: 'http://127.0.0.1/' }).end()
    else response.end('ok')
  })
  let origin = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const opened = ['127.0.0.0/8']
  const connections = (options: { keptMs?: number } = {}) => {
    const made = new OutgoingConnections(opened, options)
    onTestFinished(() => made.close())
    return made
  }

  it('serve several requests to one endpoint, until the time of the check is over', async () => {
    const kept = connections({ keptMs: 200 })
    sockets.clear()
    for (let turn = 0; turn < 8; turn++) expect((await kept.request('one', `${origin}/`)).status).toBe(200)
    const used = sockets.size
    expect(used).toBeLessThan(4)
    const usedNow = async () => {
      await kept.request('one', `${origin}/`)
      return sockets.size
    }
    await expect.poll(usedNow, { timeout: 5_000 }).toBeGreaterThan(used)
  })
  it('follow no redirect', async () => {
    expect((await connections().request('one', `${origin}/moved`)).status).toBe(302)
  })
  it('read only the first bytes of an answer without an end', async () => {
    const { status, body } = await connections().request('one', `${origin}/endless`, { bytesMax: 1_000 })
    expect([status, body.length]).toEqual([200, 1_000])
  })
  it('give the status of an answer whose body never ends', async () => {
    const { status, body } = await connections().request('one', `${origin}/hangs`, { timeoutMs: 300 })
    expect([status, body.toString()]).toEqual([200, 'thank'])
  })
  it('are refused to inside addresses, and after a network is closed again', async () => {
    const closed = new OutgoingConnections([])
    for (const url of [`${origin}/`, 'http://localhost/', 'http://[::ffff:10.0.0.1]/', 'http://user:pw@example.test/'])
      await expect(closed.request('one', url), url).rejects.toMatchObject({ status: 400 })
  })
  it('are refused when the name begins to lead inside, even beside a public address', async () => {
    // Test files share loaded modules, and only a module that is loaded here asks the name server of the test.
    vi.resetModules()
    const loaded = await import('./outgoing.ts')
    const kept = new loaded.OutgoingConnections(['127.0.0.0/8'], { keptMs: 50 })
    onTestFinished(() => kept.close())
    const url = origin.replace('127.0.0.1', 'turns.test')
    turning.addresses = ['127.0.0.1']
    expect((await kept.request('one', url)).status).toBe(200)
    turning.addresses = ['93.184.216.34', '10.0.0.1']
    await expect.poll(() => kept.request('one', url).catch((error) => error)).toMatchObject({ status: 400 })
  })
  it('fail when the endpoint refuses, speaks no TLS, or does not answer in time', async () => {
    const kept = connections()
    await expect(kept.request('one', 'http://127.0.0.1:1/')).rejects.toThrow('ECONNREFUSED')
    await expect(kept.request('one', origin.replace('http:', 'https:'))).rejects.toThrow()
    const silent = createTcpServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    await expect(kept.request('one', url, { timeoutMs: 200 })).rejects.toThrow(/timeout|aborted/i)
  })
})

describe('an address that is saved', () => {
  it('is refused if requests to it would be refused', async () => {
    for (const url of [
      'http://127.0.0.1/',
      'https://localhost/hook',
      'ftp://example.test/',
      'https://a:b@example.test/',
    ])
      await expect(requireAllowedAddress(url), url).rejects.toMatchObject({ code: 'VALIDATION_ERROR', status: 400 })
    await requireAllowedAddress('http://127.0.0.1/', ['127.0.0.0/8'])
    await requireAllowedAddress('https://93.184.216.34/hook')
  })
  it('is accepted if its name cannot be resolved yet', async () => {
    await requireAllowedAddress('https://receiver.invalid/hook')
  })
})
