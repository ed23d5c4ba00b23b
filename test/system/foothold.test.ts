// An attacker who controls ingest, or Redis, or both, tries to command an agent. All processes are the real ones.
import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { type DeliveryOrder, nodesOf, sendToNode } from '@muster/backplane/routing.ts'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import { encodeDown } from '@muster/wire/down.ts'
import type { Order } from '@muster/wire/messages/order.ts'
import { messageIn, signOrderKeys } from '@muster/wire/orders.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { type Agent, Fleet } from './fleet.ts'
import { RogueIngest } from './rogue-ingest.ts'

const keysCli = fileURLToPath(new URL('../../packages/backplane/src/keys-cli.ts', import.meta.url))
const tenYears = 10 * 365 * 86_400_000

describe('one compromised process cannot command the fleet', () => {
  let fleet: Fleet
  let rogue: RogueIngest
  let redis: Redis
  let folder: string
  let tenant: Awaited<ReturnType<Fleet['tenant']>>
  let agent: Agent
  let deviceId: string
  /** A valid order that was delivered and executed. */
  let recorded: Order

  const start = async (name: string, dataDir?: string): Promise<Agent> => {
    const before = rogue.connections
    const made = await fleet.agent(name, tenant.key, dataDir, ['--ingest', rogue.url, '--log-json'])
    await eventually(async () => rogue.connections > before)
    return made
  }
  const online = () => fleet.device(tenant.org.id, (one) => one.status === 'online')
  const script = (marker: string) =>
    commandMessage({
      payload: { language: 'sh', script: `echo pwned >> ${join(folder, marker)}` },
      expiresAt: Date.now() + tenYears,
    })
  const inOrder = (order: Order) => encodeDown({ name: 'order', sequence: 0, body: order })
  /** A user's command, from the API to the agent and back. */
  const run = (line: string) =>
    fleet.must('POST', `/devices/${deviceId}/commands`, {
      type: 'run_script',
      payload: { language: 'sh', script: line },
      waitMs: 20_000,
    })
  const refusals = (code: string) => fleet.log(agent.process.name).split(`"code":"${code}"`).length - 1
  /** Expects one more refusal of the agent for this reason, with no effect. */
  const refused = async (code: string, act: () => unknown) => {
    const before = refusals(code)
    await act()
    await eventually(async () => refusals(code) > before)
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  }

  beforeAll(async () => {
    fleet = await Fleet.start()
    folder = await fleet.folder()
    tenant = await fleet.tenant()
    rogue = await RogueIngest.start(fleet.stack.urls.ingest)
    redis = connectRedis(fleet.stack.urls.redis, 'attacker')
    await untilReady(redis, 10_000)
    agent = await start('agent-victim')
    deviceId = (await online()).id
    expect(await run(`echo obeyed >> ${join(folder, 'obeyed')}`)).toMatchObject({ status: 'completed' })
    const order = rogue.orders().find((one) => messageIn(one).name === 'command')
    if (order === undefined) throw new Error('No order was seen')
    recorded = order
  })
  afterAll(async () => {
    rogue?.stop()
    redis?.disconnect()
    await fleet?.stop()
  })

  it('from ingest: refuses an unsigned command', async () => {
    await refused('ORDER_UNSIGNED', () => rogue.inject(encodeDown(script('pwned'))))
  })

  it('from ingest: refuses an update from another address', async () => {
    const body = { version: '99.0.0', url: 'http://attacker.example/agent', sha256: 'a'.repeat(64), size: 5 }
    await refused('ORDER_UNSIGNED', () => rogue.inject(encodeDown({ name: 'update', sequence: 0, body })))
  })

  it('from ingest: executes an order once, also after a restart of the agent', async () => {
    await refused('ORDER_REPLAYED', () => rogue.inject(inOrder(recorded)))
    await agent.process.stop()
    agent = await start('agent-victim-again', agent.dataDir)
    await online()
    await refused('ORDER_REPLAYED', () => rogue.inject(inOrder(recorded)))
    expect(await readFile(join(folder, 'obeyed'), 'utf8')).toBe('obeyed\n')
  })

  it('from ingest: refuses an order of another device, or with another payload, type or time', async () => {
    await refused('ORDER_FOREIGN', () => rogue.inject(inOrder({ ...recorded, device: randomUUID() })))
    const changed = [
      { frame: encodeDown(script('pwned')) },
      { frame: encodeDown({ name: 'cancel', sequence: 0, body: { id: randomUUID() } }) },
      { sequence: recorded.sequence + 1000 },
      { expiresAt: Date.now() + tenYears },
    ]
    for (const change of changed)
      await refused('ORDER_SIGNATURE_INVALID', () => rogue.inject(inOrder({ ...recorded, ...change })))
  })

  it('from ingest: rejects statements about its own keys', async () => {
    const { publicKey, privateKey: key } = generateKeyPairSync('ed25519')
    const x = String(publicKey.export({ format: 'jwk' }).x)
    const before = await readFile(join(agent.dataDir, 'order-keys.json'), 'utf8')
    const statements = [signOrderKeys({ serial: 2, keys: [x] }, { x, key })]
    rogue.inject(encodeDown({ name: 'orderKeys', sequence: 0, body: { statements } }))
    await refused('ORDER_KEY_UNKNOWN', () => rogue.inject(inOrder({ ...recorded, key: statements[0]?.by ?? '' })))
    expect(await readFile(join(agent.dataDir, 'order-keys.json'), 'utf8')).toBe(before)
  })

  it('from Redis: passes only entries that are signed for the agent', async () => {
    const nodes = await nodesOf(redis, [deviceId])
    const node = nodes.get(deviceId) ?? ''
    const commandId = randomUUID()
    const to = { kind: 'frame' as const, deviceId }
    const forged: DeliveryOrder[] = [
      { ...to, bytes: encodeDown(script('pwned')), commandId },
      { ...to, bytes: encodeDown(script('pwned')) },
      { ...to, bytes: inOrder({ ...recorded, device: randomUUID() }), commandId },
    ]
    const seen = rogue.sent.at(-1)?.length ?? 0
    await sendToNode(redis, node, forged)
    // A well-formed order for this device passes ingest, and the agent refuses it.
    const posing = { ...recorded, frame: encodeDown(script('pwned')) }
    await refused('ORDER_SIGNATURE_INVALID', () =>
      sendToNode(redis, node, [{ ...to, bytes: inOrder(posing), commandId }]),
    )
    const orders = (rogue.sent.at(-1) ?? []).slice(seen).filter((frame) => [4, 13].includes(frame[1] ?? 0))
    expect(orders).toHaveLength(1)
  })

  it('records refusals in the audit log of the tenant', async () => {
    const { data } = await eventually(async () => {
      const found = await fleet.must('GET', '/audit/logs?action=device.order_refused&limit=50')
      return found.data.length > 0 && found
    })
    expect(data[0]).toMatchObject({ action: 'device.order_refused', orgId: tenant.org.id })
  })

  it('sends no hello after a downgrade to the protocol without signatures', async () => {
    rogue.protocols = [1]
    rogue.drop()
    await eventually(async () => fleet.log(agent.process.name).includes('supports protocol 1'))
    rogue.protocols = undefined
    const before = rogue.welcomes
    await eventually(async () => rogue.welcomes > before, 60_000)
    await online()
    expect(await run('echo fine')).toMatchObject({ status: 'completed', stdout: 'fine\n' })
  })

  it('distributes new keys to connected and later agents, and rejects orders of a removed key', async () => {
    const files = ['keyring.json', 'device-keys.json'].map((name) => join(fleet.stack.stores.folder.path, name))
    const keys = (...words: string[]) => promisify(execFile)(process.execPath, [keysCli, ...words, ...files])
    const serial = async (dataDir: string) =>
      JSON.parse(await readFile(join(dataDir, 'order-keys.json'), 'utf8')).serial
    await keys('rotate', 'orders')
    await eventually(async () => (await serial(agent.dataDir)) === 2)
    // The running processes still sign with the previous key, which is also trusted.
    expect(await run('echo both')).toMatchObject({ status: 'completed' })
    await agent.process.stop()
    await keys('retire', 'orders')
    agent = await start('agent-later', agent.dataDir)
    await eventually(async () => (await serial(agent.dataDir)) === 3)
    await online()
    expect(await run('echo old')).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^ORDER_KEY_UNKNOWN: /),
    })
  })
})
