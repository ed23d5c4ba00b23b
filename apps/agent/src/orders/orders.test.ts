import { randomUUID } from 'node:crypto'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import type { DownMessage } from '@muster/wire/down.ts'
import { encodeDown } from '@muster/wire/down.ts'
import type { OrderFault } from '@muster/wire/messages/refusal.ts'
import { signOrderKeys } from '@muster/wire/orders.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeServer } from '../testing/fake-server.ts'
import { connectedAgent, type TestAgent, temporaryFolder } from '../testing/test-agent.ts'
import { newPair } from '../testing/test-keys.ts'
import { TestOrders } from '../testing/test-orders.ts'

let server: FakeServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let agent: TestAgent
const minute = 60_000

beforeEach(async () => {
  server = await FakeServer.start()
  folder = await temporaryFolder(true)
  agent = await started()
})
afterEach(async () => {
  await agent.stop()
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

const started = (): Promise<TestAgent> => connectedAgent(server, folder.path)

async function restarted(): Promise<void> {
  await agent.stop()
  agent = await started()
}

const script = (marker: string): DownMessage =>
  commandMessage({
    payload: { language: 'sh', script: `echo ran >> ${join(folder.path, marker)}` },
    expiresAt: Date.now() + 60 * minute,
  })
const ran = async (marker: string) =>
  (await readFile(join(folder.path, marker), 'utf8').catch(() => '')).split('\n').length - 1
const idOf = (message: DownMessage) => (message.name === 'command' ? message.body.id : '')
const refusals = () => server.received.flatMap(({ message }) => (message.name === 'refusal' ? [message.body] : []))
/** Waits until the agent has sent one more refusal. */
async function refused(code: OrderFault, more: object = {}): Promise<void> {
  await server.until(() => refusals().some((refusal) => refusal.code === code))
  expect(refusals().filter((refusal) => refusal.code === code)).toContainEqual(
    expect.objectContaining({ code, ...more }),
  )
}
/** Waits until everything that was sent before has been checked. */
async function settle(): Promise<void> {
  const message = script(`settled-${randomUUID()}`)
  server.order(message)
  expect(await server.result(idOf(message))).toMatchObject({ status: 'completed' })
}

describe('an agent executes only orders signed for it', () => {
  test('executes an order once; rejects a replay and keeps the first result', async () => {
    const message = script('once')
    const order = server.order(message)
    expect(await server.result(idOf(message))).toMatchObject({ status: 'completed' })
    server.send({ name: 'order', sequence: 0, body: order })
    await refused('ORDER_REPLAYED', { type: 4, commandId: idOf(message) })
    const results = server.received.filter(
      ({ message: { name, body } }) => name === 'result' && 'commandId' in body && body.commandId === idOf(message),
    )
    expect(results).toHaveLength(1)
    expect(await ran('once')).toBe(1)
  })

  test('rejects a replay after a restart, even without the journal', async () => {
    const message = script('restart')
    const order = server.order(message)
    await server.result(idOf(message))
    await agent.stop()
    await rm(join(folder.path, 'journal.log'))
    // A line cut off by a crash does not affect those before it.
    await appendFile(join(folder.path, 'orders.log'), '12 34')
    agent = await started()
    server.send({ name: 'order', sequence: 0, body: order })
    await refused('ORDER_REPLAYED')
    await settle()
    expect(await ran('restart')).toBe(1)
  })

  test('answers a request once', async () => {
    const ask: DownMessage = {
      name: 'request',
      sequence: 7,
      body: { type: 'list_processes', payload: {}, timeoutMs: 5_000 },
    }
    const order = server.order(ask)
    await server.next('reply')
    await restarted()
    server.send({ name: 'order', sequence: 0, body: order })
    await refused('ORDER_REPLAYED', { type: 11 })
  })

  test('refuses unsigned messages and reports the refusal', async () => {
    const command = script('unsigned')
    server.send(command)
    expect(await server.result(idOf(command))).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^ORDER_UNSIGNED: /),
    })
    await refused('ORDER_UNSIGNED', { type: 4, commandId: idOf(command) })
    server.send({ name: 'request', sequence: 3, body: { type: 'list_processes', payload: {}, timeoutMs: 5_000 } })
    expect((await server.next('reply')).body).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^ORDER_UNSIGNED: /),
    })
    server.send({
      name: 'update',
      sequence: 0,
      body: { version: '9.9.9', url: 'http://attacker.example/agent', sha256: 'a'.repeat(64), size: 5 },
    })
    expect((await server.next('updateStatus')).body).toMatchObject({ state: 'refused', reason: 'order_refused' })
    server.send({ name: 'settings', sequence: 0, body: { autoUpdate: false } })
    server.send({ name: 'cancel', sequence: 0, body: { id: randomUUID() } })
    server.send({ name: 'certificate', sequence: 0, body: { certificate: 'a.b.c' } })
    await server.until(() => new Set(refusals().map(({ type }) => type)).size === 6)
    await settle()
    expect(await ran('unsigned')).toBe(0)
    // The same command in an order is not held back by the refusal.
    server.order(command)
    await server.until(() =>
      server.received.some(
        ({ message }) =>
          message.name === 'result' && message.body.commandId === idOf(command) && message.body.status === 'completed',
      ),
    )
  })

  test.each<[string, OrderFault, () => void]>([
    ['another device', 'ORDER_FOREIGN', () => server.order(script('wrong'), { device: randomUUID() })],
    [
      'yesterday',
      'ORDER_EXPIRED',
      () => server.order(script('wrong'), { issuedAt: Date.now() - 20 * minute, expiresAt: Date.now() - 10 * minute }),
    ],
    [
      'an untrusted key',
      'ORDER_KEY_UNKNOWN',
      () => server.send({ name: 'order', sequence: 0, body: new TestOrders().make(deviceId(), script('wrong')) }),
    ],
    [
      'a payload that was changed',
      'ORDER_SIGNATURE_INVALID',
      () =>
        server.send({
          name: 'order',
          sequence: 0,
          body: { ...server.orders.make(deviceId(), script('harmless')), frame: encodeDown(script('wrong')) },
        }),
    ],
    [
      'a later expiry than was signed',
      'ORDER_SIGNATURE_INVALID',
      () =>
        server.send({
          name: 'order',
          sequence: 0,
          body: { ...server.orders.make(deviceId(), script('wrong')), expiresAt: Date.now() + 60 * minute },
        }),
    ],
    [
      'another order inside',
      'ORDER_MALFORMED',
      () => {
        const inside = encodeDown({ name: 'order', sequence: 0, body: server.orders.make(deviceId(), script('wrong')) })
        server.send({ name: 'order', sequence: 0, body: server.orders.make(deviceId(), inside) })
      },
    ],
    [
      'a welcome inside',
      'ORDER_MALFORMED',
      () => server.order({ name: 'retry', sequence: 0, body: { afterMs: 1, reason: 'x' } }),
    ],
  ])('rejects an order of %s', async (_what, code, send) => {
    send()
    await refused(code)
    await settle()
    expect(await ran('wrong')).toBe(0)
  })

  test('limits answers to a flood of refused messages, and still runs signed ones', async () => {
    for (let count = 0; count < 200; count++) server.send(script('flood'))
    await settle()
    expect(refusals().length).toBeLessThan(25)
    expect(await ran('flood')).toBe(0)
  })

  test('sends no hello to a server of the previous protocol', async () => {
    const hellos = server.hellos.length
    server.behavior.protocols = [1]
    server.drop()
    await agent.said(/supports protocol 1, this agent 2/)
    expect(server.hellos).toHaveLength(hellos)
  })
})

const deviceId = () =>
  JSON.parse(Buffer.from(server.hellos[0]?.certificate.split('.')[1] ?? '', 'base64url').toString()).sub

describe('the time of orders', () => {
  test('never goes back behind the newest executed order, not even after a restart', async () => {
    // Withheld in transit, and delivered after a later one was executed.
    const withheld = server.orders.make(deviceId(), script('withheld'), { expiresAt: Date.now() + 5 * minute })
    const later = script('later')
    server.order(later, { issuedAt: Date.now() + 6 * minute, expiresAt: Date.now() + 16 * minute })
    await server.result(idOf(later))
    await restarted()
    server.send({ name: 'order', sequence: 0, body: withheld })
    await refused('ORDER_EXPIRED')
    expect(await ran('withheld')).toBe(0)
  })

  test('comes from the administration server when the clock of the machine is wrong', async () => {
    // For this agent the server's time is two hours ago.
    const ago = 120 * minute
    server.behavior.administrationTime = () => Date.now() - ago
    const message = script('clock')
    server.order(message, { issuedAt: Date.now() - ago, expiresAt: Date.now() - ago + 10 * minute })
    expect(await server.result(idOf(message))).toMatchObject({ status: 'completed' })
    expect(server.orderKeysAsked).toHaveLength(1)
    expect(JSON.parse(server.orderKeysAsked[0] ?? '').certificate).toBe(server.hellos[0]?.certificate)
  })

  test('is not taken from a welcome', async () => {
    server.behavior.answersOrderKeys = false
    server.order(script('old'), { issuedAt: Date.now() - 20 * minute, expiresAt: Date.now() - 10 * minute })
    await refused('ORDER_EXPIRED')
    expect(await ran('old')).toBe(0)
  })
})

describe('the keys of orders', () => {
  test('change by statements of trusted keys from any sender; a removed key is no longer trusted', async () => {
    server.behavior.answersOrderKeys = false
    const { orders } = server
    server.send({ name: 'orderKeys', sequence: 0, body: { statements: [orders.rotate()] } })
    await settle()
    const { statement, retired } = orders.retire()
    server.send({ name: 'orderKeys', sequence: 0, body: { statements: [statement] } })
    await settle()
    const command = script('retired')
    server.send({ name: 'order', sequence: 0, body: orders.make(deviceId(), command, {}, retired) })
    await refused('ORDER_KEY_UNKNOWN')
    await restarted()
    expect(server.hellos.at(-1)?.orderKeys).toBe(3)
    await settle()
    expect(await ran('retired')).toBe(0)
  })

  test('ignore a forged statement', async () => {
    const stranger = newPair()
    const forged = signOrderKeys({ serial: 2, keys: [stranger.x] }, stranger)
    server.send({ name: 'orderKeys', sequence: 0, body: { statements: [forged] } })
    const posing = { ...forged, by: server.orders.statements[0]?.by ?? '' }
    server.send({ name: 'orderKeys', sequence: 0, body: { statements: [posing] } })
    await settle()
    const kept = JSON.parse(await readFile(join(folder.path, 'order-keys.json'), 'utf8'))
    expect(kept).toEqual(server.orders.trusted)
  })

  test('are fetched when a new key signed an order, which is then executed', async () => {
    server.orders.rotate()
    await settle()
    expect(server.orderKeysAsked).toHaveLength(1)
  })

  test('are not taken from the administration server by an agent that has some', async () => {
    await agent.stop()
    const own = new TestOrders().trusted
    await writeFile(join(folder.path, 'order-keys.json'), JSON.stringify(own))
    agent = await started()
    server.order(script('others'))
    await refused('ORDER_KEY_UNKNOWN')
    expect(JSON.parse(await readFile(join(folder.path, 'order-keys.json'), 'utf8'))).toEqual(own)
  })

  test('are fetched once by an agent that enrolled before they existed', async () => {
    await agent.stop()
    await rm(join(folder.path, 'order-keys.json'))
    agent = await started()
    await settle()
    await restarted()
    await settle()
    expect(server.orderKeysAsked).toHaveLength(1)
  })
})
