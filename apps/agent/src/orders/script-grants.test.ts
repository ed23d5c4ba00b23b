import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { type GrantClaims, workOf } from '@muster/wire/grants.ts'
import type { Command } from '@muster/wire/messages/command.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeServer } from '../testing/fake-server.ts'
import { connectedAgent, type TestAgent, temporaryFolder } from '../testing/test-agent.ts'
import { newPair } from '../testing/test-keys.ts'

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

const claimsOfAgent = () =>
  JSON.parse(Buffer.from(server.hellos[0]?.certificate.split('.')[1] ?? '', 'base64url').toString())
const deviceId = (): string => claimsOfAgent().sub

function command(changes: Partial<Command> = {}): Command {
  const message = commandMessage({ payload: { language: 'sh', script: `echo ran >> ${join(folder.path, 'ran')}` } })
  if (message.name !== 'command') throw new Error('not a command')
  return { ...message.body, ...changes }
}

/** The result of a command that is sent in a valid order with this grant. */
function answer(body: Command, grant = server.orders.grants.of(deviceId(), body)) {
  // An empty text cannot be sent, and a grant that is left out is added by the fake server.
  server.order({ name: 'command', sequence: 0, body: { ...body, grant: grant ?? 'none' } })
  return server.result(body.id)
}

const ran = async () => (await readFile(join(folder.path, 'ran'), 'utf8').catch(() => '')).split('\n').length - 1

describe('an agent runs a script only with a grant', () => {
  test('runs a granted script', async () => {
    expect(await answer(command())).toMatchObject({ status: 'completed' })
    expect(await ran()).toBe(1)
  })

  const other = command.bind(undefined, { payload: { language: 'sh', script: 'echo other' } })
  test.each<[string, string, (body: Command) => string | undefined]>([
    ['a text that is no grant', 'UNSIGNED_SCRIPT', () => 'e30.e30.e30'],
    ['a grant of an unknown key', 'UNSIGNED_SCRIPT', (body) => grantOf(body, {}, newPair())],
    [
      'a grant with another content than was signed',
      'UNSIGNED_SCRIPT',
      (body) => {
        const [head] = grantOf(body).split('.')
        const [, content] = grantOf(body, { exp: 2 ** 33 }).split('.')
        return [head, content, grantOf(body).split('.')[2]].join('.')
      },
    ],
    ['the grant of another script', 'GRANT_MISMATCH', (body) => grantOf({ ...body, payload: other().payload })],
    ['the grant of another device', 'GRANT_MISMATCH', (body) => grantOf(body, { scope: scope([randomUUID()]) })],
    ['a grant for no device', 'GRANT_MISMATCH', (body) => grantOf(body, { scope: scope([]) })],
    [
      'a grant for another organization',
      'GRANT_MISMATCH',
      (body) => grantOf(body, { scope: { ...scope([]), orgIds: [randomUUID()] } }),
    ],
    [
      'a grant that has expired',
      'GRANT_EXPIRED',
      (body) => grantOf(body, { exp: Math.floor(Date.now() / 1_000) - 660 }),
    ],
  ])('refuses %s', async (_what, code, grant) => {
    const body = command()
    expect(await answer(body, grant(body))).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(new RegExp(`^${code}: `)),
    })
    expect(await ran()).toBe(0)
  })

  test('refuses a script that comes as a request', async () => {
    const body = { type: 'run_script', payload: command().payload, timeoutMs: 5_000 }
    server.order({ name: 'request', sequence: 7, body })
    const reply = await server.next('reply')
    expect(reply.body).toMatchObject({ status: 'failed', error: expect.stringMatching(/^UNSIGNED_SCRIPT: /) })
    expect(await ran()).toBe(0)
  })

  test('runs a script that is granted to the organization of its certificate', async () => {
    const body = command()
    const grant = grantOf(body, { scope: { ...scope([]), orgIds: [claimsOfAgent().org] } })
    expect(await answer(body, grant)).toMatchObject({ status: 'completed' })
  })

  test('runs a script that is granted to the whole partner of its certificate, and to no other partner', async () => {
    const to = (partnerId: string) => ({ scope: { ...scope([]), partnerId } })
    const own = command()
    expect(await answer(own, grantOf(own, to(claimsOfAgent().partner)))).toMatchObject({ status: 'completed' })
    const foreign = command()
    const refused = await answer(foreign, grantOf(foreign, to(randomUUID())))
    expect(refused).toMatchObject({ error: expect.stringMatching(/^GRANT_MISMATCH: /) })
    const narrower = command()
    const scoped = { scope: { ...scope([]), partnerId: claimsOfAgent().partner, orgIds: [randomUUID()] } }
    expect(await answer(narrower, grantOf(narrower, scoped))).toMatchObject({ status: 'failed' })
  })

  test('runs a script with other values only of the variables that the grant leaves open', async () => {
    const withEnv = (env: Record<string, string>) => ({ payload: { ...command().payload, env } })
    const signed = command(withEnv({ PARAM_HOST: 'a', PATH: '/bin:/usr/bin' }))
    const { bindings } = workOf(RunScript.parse(signed.payload), signed.timeoutMs, ['PARAM_HOST'])
    const open = { perDevice: ['PARAM_HOST'], bindings }
    const run = (env: Record<string, string>, more: Partial<GrantClaims> = open) => {
      const body = command(withEnv(env))
      return answer(body, grantOf(body, more))
    }
    expect(await run({ PARAM_HOST: 'b', PATH: '/bin:/usr/bin' })).toMatchObject({ status: 'completed' })
    const refused = { status: 'failed', error: expect.stringMatching(/^GRANT_MISMATCH: /) }
    expect(await run({ PARAM_HOST: 'b', PATH: '/tmp' })).toMatchObject(refused)
    expect(await run({ PARAM_HOST: 'b', PARAM_OTHER: 'c', PATH: '/bin:/usr/bin' })).toMatchObject(refused)
    // Only parameters can be open: with another PATH the same script is another program.
    const unreadable = { ...open, perDevice: ['PARAM_HOST', 'PATH'] }
    expect(await run({ PARAM_HOST: 'b', PATH: '/bin:/usr/bin' }, unreadable)).toMatchObject({
      error: expect.stringMatching(/^UNSIGNED_SCRIPT: /),
    })
  })

  test('tolerates clocks that differ by minutes', async () => {
    const body = command()
    const exp = Math.floor((Date.now() - 9 * minute) / 1_000)
    expect(await answer(body, grantOf(body, { exp }))).toMatchObject({ status: 'completed' })
  })
})

const scope = (deviceIds: string[]): GrantClaims['scope'] => ({ partnerId: null, orgIds: [], deviceIds })

function grantOf(body: Command, changes: Partial<GrantClaims> = {}, by = server.orders.grants.newest): string {
  return server.orders.grants.of(deviceId(), body, changes, by) ?? ''
}

describe('the keys of grants', () => {
  test('are fetched when a new key signed a grant; a retired key is no longer trusted', async () => {
    const { grants } = server.orders
    const first = grants.newest
    grants.rotate()
    grants.retire()
    expect(await answer(command())).toMatchObject({ status: 'completed' })
    const body = command()
    expect(await answer(body, grantOf(body, {}, first))).toMatchObject({
      error: expect.stringMatching(/^UNSIGNED_SCRIPT: /),
    })
    expect(server.orderKeysAsked).toHaveLength(2)
  })

  test('are not asked for without end when grants of unknown keys arrive', async () => {
    for (let count = 0; count < 15; count++) {
      const body = command()
      await answer(body, grantOf(body, {}, newPair()))
    }
    expect(server.orderKeysAsked).toHaveLength(10)
  })

  test('are fetched once by an agent that enrolled before they existed', async () => {
    await agent.stop()
    await rm(join(folder.path, 'grant-keys.json'))
    agent = await started()
    expect(await answer(command())).toMatchObject({ status: 'completed' })
    await agent.stop()
    agent = await started()
    expect(await answer(command())).toMatchObject({ status: 'completed' })
    expect(server.orderKeysAsked).toHaveLength(1)
  })
})
