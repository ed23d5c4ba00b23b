import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import type { Command } from '@muster/wire/messages/command.ts'
import { orderKeyOf } from '@muster/wire/orders.ts'
import { SealingKey, sealingKeyIn, sealValues } from '@muster/wire/sealing.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeServer } from '../testing/fake-server.ts'
import { connectedAgent, type TestAgent, temporaryFolder } from '../testing/test-agent.ts'

const value = 'correct horse battery staple'
let server: FakeServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let agent: TestAgent

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

const deviceId = (): string =>
  JSON.parse(Buffer.from(server.hellos[0]?.certificate.split('.')[1] ?? '', 'base64url').toString()).sub

/** The key in the statement of an agent. */
function keyIn(statement = server.hellos.at(-1)?.sealingKey): Uint8Array {
  const identity = orderKeyOf(server.enrollments[0]?.publicKey ?? '')
  const key = sealingKeyIn(statement ?? '', deviceId(), identity)
  if (key === undefined) throw new Error('The statement is not signed by the device')
  return key
}

function command(script: string, changes: Partial<Command> = {}): Command {
  const message = commandMessage({ payload: { language: 'sh', script, secrets: { TOKEN: 'token' } } })
  if (message.name !== 'command') throw new Error('not a command')
  return { ...message.body, ...changes }
}
const sealed = (body: Command, values: Record<string, string> = { TOKEN: value }, key = keyIn()): Command => ({
  ...body,
  sealed: sealValues(values, body.id, key),
})
const send = (body: Command) => server.order({ name: 'command', sequence: 0, body })
const answer = (body: Command) => {
  send(body)
  return server.result(body.id)
}
/** What the agent answers instead of starting a command. */
const unopened = (id: string) =>
  server.until(() => {
    for (const { message } of server.received)
      if (message.name === 'unopened' && message.body.commandId === id) return message.body
    return undefined
  })

test('a script gets its secrets in variables', async () => {
  const counted = await answer(sealed(command('printf %s "$TOKEN" | wc -c')))
  expect(counted).toMatchObject({ status: 'completed', stdout: `${value.length}\n` })
})

test('a secret is neither in the output, nor in the pieces shown before, nor in the folder of the agent', async () => {
  const body = sealed(command('echo "$TOKEN"; printf correct >&2; sleep 1.2; printf " horse battery staple" >&2'))
  expect(await answer(body)).toMatchObject({ status: 'completed', stdout: '***\n', stderr: '***' })
  const said = JSON.stringify(server.received.map(({ message }) => message))
  expect(said).toContain('***')
  expect(said).not.toMatch(/correct|staple/)
  for (const name of await readdir(folder.path, { recursive: true })) {
    const content = await readFile(join(folder.path, name)).catch(() => Buffer.of())
    expect(content.includes('horse'), name).toBe(false)
  }
  expect(agent.lines.join('\n')).not.toContain('horse')
})

test('a command without sealed secrets is not journaled, and runs when it comes again with them', async () => {
  const body = command('echo ran')
  send(body)
  const { sealingKey } = await unopened(body.id)
  expect(await readFile(join(folder.path, 'journal.log'), 'utf8')).not.toContain(body.id)
  expect(await answer(sealed(body, undefined, keyIn(sealingKey)))).toMatchObject({ stdout: 'ran\n' })
})

test('after a restart, secrets for the process before are not opened, and a new key is stated', async () => {
  const before = keyIn()
  await agent.stop()
  agent = await started()
  const body = sealed(command('echo ran'), undefined, before)
  send(body)
  const { sealingKey } = await unopened(body.id)
  expect(sealingKey).toBe(server.hellos.at(-1)?.sealingKey)
  expect(keyIn(sealingKey)).not.toEqual(before)
  expect(await readFile(join(folder.path, 'journal.log'), 'utf8')).not.toContain(body.id)
  expect(await answer(sealed(body))).toMatchObject({ status: 'completed' })
})

test.each<[string, string, (body: Command) => Command]>([
  ['SECRET_NOT_FOUND', 'the server has no secret token for this device', (body) => sealed(body, {})],
  ['SECRETS_UNREADABLE', 'altered', (body) => ({ ...body, sealed: sealed(command('true')).sealed })],
])('a script does not run: %s', async (code, words, change) => {
  const { status, error, stdout } = await answer(change(command('echo ran')))
  expect({ status, stdout }).toEqual({ status: 'failed', stdout: undefined })
  expect(error).toMatch(new RegExp(`^${code}: .*${words}`))
})

test('a script does not run with secrets that its grant does not name', async () => {
  const granted = command('echo ran')
  const other = { ...granted, payload: { ...granted.payload, secrets: { TOKEN: 'admin' } } }
  const body = { ...sealed(other), grant: server.orders.grants.of(deviceId(), granted) ?? '' }
  expect((await answer(body)).error).toMatch(/^GRANT_MISMATCH: /)
})

test('a key is stated by this device alone, also when it resumes', () => {
  expect(() => keyIn(new SealingKey().statement(deviceId(), server.orders.grants.newest.key))).toThrow('not signed')
})
