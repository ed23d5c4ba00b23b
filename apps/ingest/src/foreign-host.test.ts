import { once } from 'node:events'
import { connect } from 'node:net'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFleet, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { requestUpgrade } from './testing/upgrade.ts'

let redis: OwnRedis
let fleet: Fleet
let node: Node
beforeAll(async () => {
  redis = await startOwnRedis()
  fleet = createFleet()
  const settings = { INGEST_PUBLIC_URL: 'wss://agents.example.com/agent', ALLOWED_HOSTS: 'old.example.com' }
  node = await startNode(redis.url, fleet, { settings })
})
afterAll(async () => {
  await node?.stop()
  await redis?.stop()
  fleet?.remove()
})

/** Sends raw bytes. @returns the complete answer */
async function said(...lines: string[]): Promise<string> {
  const socket = connect(node.port, '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
    socket.end()
  })
  socket.write([...lines, '', ''].join('\r\n'))
  await once(socket, 'close')
  return text
}

describe('ingest behind a name', () => {
  test.each([
    'agents.example.com',
    'AGENTS.example.com.:443',
    'old.example.com',
    'localhost:3001',
    '10.1.2.3',
    '[::1]',
  ])('opens a socket for an agent that asks for %s', async (host) => {
    expect((await requestUpgrade(node.port, { host })).status).toBe(101)
  })

  test.each(['rebind.attacker.example', 'example.com', 'agents.example.com.attacker.example', '127.1'])(
    'refuses a socket for %s and counts the refusal',
    async (host) => {
      const before = await node.metric('muster_ingest_upgrades_refused_total', 'reason="host"')
      expect((await requestUpgrade(node.port, { host })).status).toBe(421)
      expect(await node.metric('muster_ingest_upgrades_refused_total', 'reason="host"')).toBe(before + 1)
    },
  )

  test('answers every path and method with the same error format and no version header', async () => {
    for (const line of ['GET /agent', 'GET /', 'POST /nothing', 'OPTIONS /agent']) {
      const text = await said(`${line} HTTP/1.1`, 'Host: rebind.attacker.example', 'Content-Length: 0')
      expect(text).toMatch(/^HTTP\/1\.1 421 /)
      expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'MISDIRECTED' })
      expect(text).not.toMatch(/uwebsockets|server:/i)
    }
    const unknown = await said('GET /nothing HTTP/1.1', 'Host: 127.0.0.1')
    expect(unknown).toMatch(/^HTTP\/1\.1 404 /)
    expect(unknown).not.toMatch(/uwebsockets|server:/i)
  })

  test.each([
    ['two hosts', ['GET /agent HTTP/1.1', 'Host: 127.0.0.1', 'Host: rebind.attacker.example']],
    ['an absolute target', ['GET http://rebind.attacker.example/agent HTTP/1.1', 'Host: 127.0.0.1']],
    ['no host', ['GET /agent HTTP/1.1']],
  ])('refuses %s', async (_what, lines) => {
    expect(await said(...lines)).toMatch(/^HTTP\/1\.1 (400|505) /)
  })
})
