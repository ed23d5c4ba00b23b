import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AgentStopped } from './agent-stopped.ts'
import { isExecutable } from './own-program.ts'
import { FakeServer } from './testing/fake-server.ts'
import { startAgent, temporaryFolder, testPlatform } from './testing/test-agent.ts'

let server: FakeServer
beforeEach(async () => {
  server = await FakeServer.start()
})
afterEach(() => server.stop())

test('enrolls, proves its key, reports at once and keeps its identity after a restart', async () => {
  await using folder = await temporaryFolder()
  const first = await startAgent(server.url, folder.path)
  const heartbeat = await server.next('heartbeat')
  expect(heartbeat.sequence).toBe(1)
  const inventory = await server.next('inventory')
  expect(inventory.body.facts.agentVersion).toBe(server.enrollments[0]?.agentVersion)
  expect(first.lines.join('\n')).toMatch(/enrolled as .+\n.*connected to ws:/)
  await first.stop()

  const { deviceId } = JSON.parse(await readFile(join(folder.path, 'enrolment.json'), 'utf8'))
  server.received.length = 0
  await using second = await startAgent(undefined, folder.path)
  await server.next('heartbeat')
  await second.said(new RegExp(`connected to .* as ${deviceId}`))
  expect(server.enrollments).toHaveLength(1)
  expect(server.hellos[1]?.bootId).not.toBe(server.hellos[0]?.bootId)
})

test('two data folders on one machine are two devices', async () => {
  await using folders = await temporaryFolder()
  await using _one = await startAgent(server.url, join(folders.path, 'one'))
  await using _two = await startAgent(server.url, join(folders.path, 'two'))
  await server.until(() => server.hellos.length === 2)
  const [one, two] = server.enrollments
  expect(one?.machineId).toMatch(/^[0-9a-f]{64}$/)
  expect(one?.machineId).not.toBe(two?.machineId)
})

test('stops with the message of the server when its key is refused', async () => {
  await using folder = await temporaryFolder()
  server.behavior.refusesEnrollment = {
    status: 403,
    body: { code: 'KEY_EXPIRED', message: 'The enrollment key has expired' },
  }
  await using refused = await startAgent(server.url, folder.path)
  await expect(refused.ended).rejects.toThrow(/403\): The enrollment key has expired/)
})

test('names the missing flags when it was never enrolled', async () => {
  await using folder = await temporaryFolder()
  await using lost = await startAgent(undefined, folder.path)
  await expect(lost.ended).rejects.toThrow(AgentStopped)
  await expect(lost.ended).rejects.toThrow(/--server <url>, and the enrollment key on standard input/)
})

test('retries enrollment after the time that a busy server gave', async () => {
  await using folder = await temporaryFolder()
  server.behavior.refusesEnrollment = { status: 429, body: { code: 'RATE', message: 'Slow down' }, retryAfter: '1' }
  await using _agent = await startAgent(server.url, folder.path)
  await server.until(() => server.enrollments.length === 1)
  const askedAt = performance.now()
  server.behavior.refusesEnrollment = undefined
  await server.until(() => server.hellos.length === 1)
  expect(performance.now() - askedAt).toBeGreaterThanOrEqual(990)
})

test('resends unacknowledged frames with the same numbers, oldest first', async () => {
  await using folder = await temporaryFolder()
  server.behavior.acknowledges = () => false
  await using _agent = await startAgent(server.url, folder.path)
  await server.next('inventory')
  const before = server.received.map(({ message }) => [message.name, message.sequence])
  server.behavior.acknowledges = () => true
  server.drop()
  await server.until(() => server.received.length >= 2 * before.length)
  const again = server.received.filter(({ connection }) => connection === 2)
  expect(again.map(({ message }) => [message.name, message.sequence])).toEqual(before)
  expect(server.hellos[1]?.bootId).toBe(server.hellos[0]?.bootId)
})

test('reconnects at the time that a planned close gave, not before', async () => {
  await using folder = await temporaryFolder()
  await using agent = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
  const closedAt = performance.now()
  server.close(4030, 700)
  await server.until(() => server.hellos.length === 2)
  expect(performance.now() - closedAt).toBeGreaterThanOrEqual(690)
  await agent.said(/disconnected: going-away: .*next try in 0\.7 s/)
})

test('retries a refused upgrade after Retry-After', async () => {
  await using folder = await temporaryFolder()
  server.behavior.refusesUpgrade = { status: 503, retryAfter: '1' }
  await using _agent = await startAgent(server.url, folder.path)
  await server.until(() => server.upgrades.length === 1)
  server.behavior.refusesUpgrade = undefined
  await server.until(() => server.hellos.length === 1)
  const [first = 0, second = 0] = server.upgrades
  expect(second - first).toBeGreaterThanOrEqual(990)
})

test('waits at least an hour when its device was removed', async () => {
  await using folder = await temporaryFolder()
  server.behavior.closesAtHello = { code: 4013 }
  await using agent = await startAgent(server.url, folder.path)
  expect(await agent.said(/revoked/)).toMatch(/next try in ([6-9]\d|1[01]\d|120) min|2 h/)
  expect(server.enrollments).toHaveLength(1)
})

test('enrolls again with its key when a new server rejects its certificate', async () => {
  await using folder = await temporaryFolder()
  const first = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
  await first.stop()
  const { port } = server
  await server.stop()
  server = await FakeServer.start(port)
  await using second = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
  expect(server.enrollments).toHaveLength(1)
  expect(second.lines.join('\n')).toContain('enrolls again')
})

test('uses a renewed certificate from the next connection on, and ignores one for another key', async () => {
  await using folder = await temporaryFolder()
  await using agent = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
  const { deviceId } = JSON.parse(await readFile(join(folder.path, 'enrolment.json'), 'utf8'))
  const renewed = server.certificateFor(deviceId, server.enrollments[0]?.publicKey ?? '')
  const foreign = server.certificateFor(deviceId, 'A'.repeat(43))
  server.order({ name: 'certificate', sequence: 0, body: { certificate: renewed } })
  server.order({ name: 'certificate', sequence: 0, body: { certificate: foreign } })
  await agent.said(/not for this device/)
  await agent.said(/stored the renewed device certificate/)
  server.close(4030, 50)
  await server.until(() => server.hellos.length === 2)
  expect(server.hellos[1]?.certificate).toBe(renewed)
})

test('adopts the heartbeat interval of the server', async () => {
  await using folder = await temporaryFolder()
  server.behavior.heartbeatMs = 100
  await using _agent = await startAgent(server.url, folder.path)
  const beats = () => server.received.filter(({ message }) => message.name === 'heartbeat').length
  await server.until(() => beats() >= 5)
  server.send({ name: 'settings', sequence: 0, body: { heartbeatMs: 3_600_000 } })
  const id = server.command('nonsense', {})
  await server.result(id)
  const settled = beats()
  await server.result(server.command('nonsense', {}))
  expect(beats()).toBeLessThanOrEqual(settled + 1)
})

test('refuses an update that it cannot install once per version', async () => {
  await using folder = await temporaryFolder()
  await using _agent = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
  const body = { version: '9.9.9', url: 'https://example.com/a', sha256: '0'.repeat(64), size: 1 }
  server.order({ name: 'update', sequence: 0, body })
  server.order({ name: 'update', sequence: 0, body })
  await server.next('updateStatus')
  await server.result(server.command('nonsense', {}))
  const answers = server.received.filter(({ message }) => message.name === 'updateStatus')
  expect(answers.map(({ message }) => message.body)).toEqual([
    {
      ...{ version: '9.9.9', state: 'refused', reason: 'cannot_replace_itself', barred: [] },
      error: isExecutable
        ? 'no watchdog is running to roll back a failed update'
        : 'This agent is not an installed executable',
    },
  ])
})

test('answers a repeated command with the stored result, and runs nothing twice', async () => {
  await using folder = await temporaryFolder()
  await using _agent = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
  const id = randomUUID()
  const trace = join(folder.path, 'trace')
  const payload = { language: testPlatform.language, script: `echo x >> ${trace}\necho done` }
  server.sendCommand(id, 'run_script', payload)
  const result = await server.result(id)
  server.received.length = 0
  server.sendCommand(id, 'run_script', payload)
  expect(await server.result(id)).toEqual(result)
  expect(await readFile(trace, 'utf8')).toMatch(/^x\s*$/)
})

test('does not resend a frame over which the server closed the connection', async () => {
  await using folder = await temporaryFolder()
  server.behavior.acknowledges = (message) => message.name !== 'result'
  await using agent = await startAgent(server.url, folder.path)
  await server.next('inventory')
  server.command('nonsense', {})
  const { sequence } = await server.next('result')
  server.send({ name: 'error', sequence, body: { code: 'MALFORMED', message: 'No such result' } })
  server.close(4000)
  await agent.said(new RegExp(`dropped frame ${sequence}`))
  expect(await agent.said(/disconnected: malformed/)).toMatch(/next try in 3\d s/)
})

test('reconnects with its ticket, and writes no ticket to log or folder', async () => {
  await using folder = await temporaryFolder()
  server.behavior.tickets = { takes: true }
  await using agent = await startAgent(server.url, folder.path)
  for (let times = 0; times < 2; times++) {
    await server.until(() => server.resumes.length === times && server.isConnected)
    // The next message has been read, and so has the ticket before it.
    await server.result(server.command('set_auto_update', { enabled: true }))
    server.drop()
  }
  await server.until(() => server.resumes.length === 2 && server.isConnected)
  const [hello, ...further] = server.hellos
  expect(further).toEqual([])
  const [first, second] = server.resumes
  expect(first?.bootId).toBe(hello?.bootId)
  expect(second?.ticket).not.toEqual(first?.ticket)
  const ticket = Buffer.from(first?.ticket ?? [])
  const written = await Promise.all(
    (await readdir(folder.path, { recursive: true, withFileTypes: true }))
      // A claim is empty, and on Windows only its process can open it.
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.claim'))
      .map((entry) => readFile(join(entry.parentPath, entry.name))),
  )
  for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const)
    for (const text of [...written.map((bytes) => bytes.toString('latin1')), ...agent.lines])
      expect(text.includes(ticket.toString(encoding))).toBe(false)
})

test('falls back to its certificate on the same socket when its ticket is invalid, and drops the ticket', async () => {
  await using folder = await temporaryFolder()
  server.behavior.tickets = { takes: false }
  await using _agent = await startAgent(server.url, folder.path)
  await server.until(() => server.isConnected)
  await server.result(server.command('set_auto_update', { enabled: true }))
  server.drop()
  await server.until(() => server.hellos.length === 2)
  expect(server.resumes).toHaveLength(1)
  expect(server.upgrades).toHaveLength(2)
  server.behavior.tickets = undefined
  await server.until(() => server.isConnected)
  server.drop()
  await server.until(() => server.hellos.length === 3)
  expect(server.resumes).toHaveLength(1)
})

test('sends no ticket fields to a server without ticket support', async () => {
  await using folder = await temporaryFolder()
  await using _agent = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
  expect(server.hellos[0]).not.toHaveProperty('tickets')
})
