// Facts of this machine, reported by a whole agent.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssignedFact, Fact, FactFinding } from '@muster/wire/facts/facts.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeServer } from '../testing/fake-server.ts'
import { startAgent, temporaryFolder } from '../testing/test-agent.ts'

let server: FakeServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let revision = 0
beforeEach(async () => {
  server = await FakeServer.start()
  folder = await temporaryFolder()
  await mkdir(join(folder.path, 'etc'))
})
afterEach(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

const dataOf = () => join(folder.path, 'agent')
const pathOf = (name: string) => join(folder.path, 'etc', name)
const assigned = (fact: Fact): AssignedFact => ({
  id: createHash('sha256').update(JSON.stringify(fact)).digest('hex').slice(0, 32),
  fact,
})
const contains = (name: string, text: string): Fact => ({ type: 'file', path: pathOf(name), contains: text })
const setting = (name: string, of: string): Fact => ({ type: 'file', path: pathOf(name), setting: of })

function assign(...facts: Fact[]): number {
  const body = { kind: 'facts' as const, revision: ++revision, items: facts.map(assigned) }
  server.order({ name: 'assignment', sequence: 0, body })
  return revision
}

/** Every observation of facts that arrived, oldest first. */
const observed = () =>
  server.received.flatMap(({ message }) =>
    message.name === 'observations' && message.body.kind === 'facts' ? [message.body] : [],
  )
const findings = (fact: Fact): FactFinding[] =>
  observed().flatMap(({ items }) => items.filter(({ id }) => id === assigned(fact).id).map(({ found }) => found))
const until = (fact: Fact, is: (finding: FactFinding) => boolean) =>
  server.until(() => {
    const last = findings(fact).at(-1)
    return last !== undefined && is(last) ? last : undefined
  })
const hasText = (wanted: boolean) => (found: FactFinding) => found.type === 'file' && found.contains === wanted

async function connected() {
  const agent = await startAgent(server.url, dataOf())
  await server.next('heartbeat')
  return agent
}

test('reports a fact after its assignment, and an edited file within seconds', async () => {
  await using _agent = await connected()
  await writeFile(pathOf('sshd'), 'PermitRootLogin no\n')
  const fact = setting('sshd', 'PermitRootLogin')
  const given = assign(fact)
  const is = (value: string) => (found: FactFinding) => found.type === 'file' && found.settings?.[0] === value
  await until(fact, is('no'))
  expect(observed().at(-1)).toMatchObject({ kind: 'facts', revision: given })
  for (const value of ['yes', 'no', 'prohibit-password']) {
    const editedAt = performance.now()
    await writeFile(pathOf('sshd'), `PermitRootLogin ${value}\n`)
    await until(fact, is(value))
    expect(performance.now() - editedAt).toBeLessThan(5_000)
  }
})

test('sees files that are replaced, deleted and created with their folders', async () => {
  await using _agent = await connected()
  const fact = contains('deep/er/file', 'on')
  assign(fact)
  await until(fact, (found) => found.type === 'file' && found.kind === 'absent')
  await mkdir(pathOf('deep/er'), { recursive: true })
  await writeFile(pathOf('deep/er/file'), 'on')
  await until(fact, hasText(true))
  await writeFile(pathOf('deep/er/new'), 'off')
  await rename(pathOf('deep/er/new'), pathOf('deep/er/file'))
  await until(fact, hasText(false))
  await rm(pathOf('deep'), { recursive: true })
  await until(fact, (found) => found.type === 'file' && found.kind === 'absent')
  await mkdir(pathOf('deep/er'), { recursive: true })
  await writeFile(pathOf('deep/er/file'), 'on')
  await until(fact, hasText(true))
})

test('sends only changes, and everything after an assignment that differs', async () => {
  await using _agent = await connected()
  await writeFile(pathOf('one'), 'x')
  await writeFile(pathOf('two'), 'x')
  const [one, two] = [contains('one', 'x'), contains('two', 'x')]
  assign(one)
  await until(one, hasText(true))
  assign(one, two)
  await until(two, hasText(true))
  await server.until(() => findings(one).length === 2)
  await writeFile(pathOf('two'), 'y')
  await until(two, hasText(false))
  expect([findings(one).length, findings(two).length]).toEqual([2, 2])
})

test('goes on after a restart without the server, and sends only what the server does not know', async () => {
  const [same, changed] = [contains('same', 'x'), contains('changed', 'x')]
  await writeFile(pathOf('same'), 'x')
  await writeFile(pathOf('changed'), 'x')
  {
    await using _first = await connected()
    assign(same, changed)
    await until(same, hasText(true))
    await until(changed, hasText(true))
    await server.until(() => server.received.length > 0)
  }
  expect((await stat(join(dataOf(), 'facts.json'))).mode & 0o777).toBe(0o600)
  server.received.length = 0
  await writeFile(pathOf('changed'), 'y')
  await using _second = await startAgent(undefined, dataOf())
  await until(changed, hasText(false))
  expect(server.hellos.at(-1)?.assignmentRevision).toBe(0)
  expect(findings(same)).toEqual([])
  // The server sends to a new process what that does not say it has: the same assignment changes nothing.
  const items = [same, changed].map(assigned)
  server.order({ name: 'assignment', sequence: 0, body: { kind: 'facts', revision, items } })
  await server.until(() => observed().at(-1)?.items.length === 0)
  expect(findings(same)).toEqual([])
})

test('reports again what was not acknowledged before it was killed', async () => {
  server.behavior.acknowledges = ({ name }) => name !== 'observations'
  await writeFile(pathOf('file'), 'x')
  const fact = contains('file', 'x')
  {
    await using _first = await connected()
    assign(fact)
    await server.until(() => observed().length > 0)
  }
  server.behavior.acknowledges = () => true
  server.received.length = 0
  await using _second = await startAgent(undefined, dataOf())
  await until(fact, hasText(true))
})

test('sends the last of several changes once the connection is back', async () => {
  await using _agent = await connected()
  await writeFile(pathOf('file'), 'x')
  const fact = contains('file', 'x')
  assign(fact)
  await until(fact, hasText(true))
  server.behavior.refusesUpgrade = { status: 503 }
  server.drop()
  await server.until(() => !server.isConnected)
  await writeFile(pathOf('file'), 'y')
  await server.until(() => server.upgrades.length > 2)
  server.behavior.refusesUpgrade = undefined
  await until(fact, hasText(false))
})

test('an assignment that changed meanwhile decides, and an older one that comes late changes nothing', async () => {
  await using _agent = await connected()
  await writeFile(pathOf('file'), 'x')
  const [old, current] = [contains('file', 'x'), setting('file', 'x')]
  const first = assign(old)
  await until(old, hasText(true))
  const second = assign(current)
  await until(current, (found) => found.type === 'file' && found.settings !== undefined)
  const before = findings(old).length
  const late = { kind: 'facts' as const, revision: first, items: [assigned(old)] }
  server.order({ name: 'assignment', sequence: 0, body: late })
  await server.until(() => observed().at(-1)?.items.length === 0)
  expect(observed().at(-1)?.revision).toBe(second)
  await writeFile(pathOf('file'), 'x = 2')
  await until(current, (found) => found.type === 'file' && found.settings?.[0] === '2')
  expect(findings(old)).toHaveLength(before)
})

test('what cannot be looked at is a finding, and never keeps the agent from the rest', async () => {
  await using _agent = await connected()
  await writeFile(pathOf('good'), 'x')
  const bad: Fact[] = [
    { type: 'file', path: '/dev/zero', sha256: true },
    { type: 'file', path: '/proc/kmsg', contains: 'x' },
    { type: 'file', path: join(dataOf(), 'identity.key'), sha256: true },
    { type: 'registry', hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE', name: 'x' },
    { type: 'service', name: `muster-${randomUUID()}` },
    { type: 'firewall' },
    { type: 'encryption' },
  ]
  const good = contains('good', 'x')
  assign(...bad, good)
  await until(good, hasText(true))
  for (const fact of bad) await until(fact, () => true)
  for (const fact of bad.slice(0, 4)) expect(findings(fact)).toMatchObject([{ type: 'unknown' }])
})
