import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isForbiddenAddress, requestOutside, streamOutside } from './outgoing.ts'

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
