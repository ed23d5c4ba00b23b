import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeServer } from './testing/fake-server.ts'
import { hasEnded, isRunning, spawnAgent, temporaryFolder } from './testing/test-agent.ts'

// Each test starts several processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 })

let server: FakeServer
beforeEach(async () => {
  server = await FakeServer.start()
})
afterEach(() => server.stop())

const main = 'src/main.ts'
const flags = (dataDirectory: string) => ['--server', server.url, '--data-dir', dataDirectory]

/** Resolves when the running script of this command has printed its first output. */
const isUnderWay = (commandId: string) =>
  server.until(() =>
    server.received.some(
      ({ message }) =>
        message.name === 'progress' && message.body.commandId === commandId && message.body.output !== undefined,
    ),
  )

describe('killed with SIGKILL', () => {
  test('during a script: reports it as interrupted, does not run it again, and ends its processes', async () => {
    await using folder = await temporaryFolder()
    const trace = join(folder.path, 'trace')
    const payload = { language: 'bash', script: `echo $$ >> ${trace}; echo begun; while :; do sleep 0.1; done` }
    const id = randomUUID()
    await using first = spawnAgent(main, flags(join(folder.path, 'data')))
    await server.next('heartbeat')
    server.sendCommand(id, 'run_script', payload)
    await isUnderWay(id)
    first.kill('SIGKILL')
    expect(await first.exited).toBe('SIGKILL')
    const scriptPid = (await readFile(trace, 'utf8')).trim()
    expect(await isRunning(scriptPid)).toBe(true)

    await using _second = spawnAgent(main, flags(join(folder.path, 'data')))
    const result = await server.result(id)
    expect(result).toMatchObject({ status: 'failed' })
    expect(result.error).toMatch(/^INTERRUPTED: .*interrupted/)
    await hasEnded(scriptPid)
    server.sendCommand(id, 'run_script', payload)
    await server.result(server.command('run_script', { script: 'true' }))
    expect(await readFile(trace, 'utf8')).toBe(`${scriptPid}\n`)
    expect(server.hellos[1]?.bootId).not.toBe(server.hellos[0]?.bootId)
  })

  test('before the acknowledgment of a result: sends the result again and does not run the script again', async () => {
    await using folder = await temporaryFolder()
    const trace = join(folder.path, 'trace')
    const payload = { language: 'sh', script: `echo run >> ${trace}; echo done` }
    const id = randomUUID()
    server.behavior.acknowledges = (message) => message.name !== 'result'
    await using first = spawnAgent(main, flags(join(folder.path, 'data')))
    await server.next('heartbeat')
    server.sendCommand(id, 'run_script', payload)
    const result = await server.result(id)
    first.kill('SIGKILL')
    await first.exited

    server.received.length = 0
    server.behavior.acknowledges = () => true
    await using second = spawnAgent(main, flags(join(folder.path, 'data')))
    expect(await server.result(id)).toEqual(result)
    server.sendCommand(id, 'run_script', payload)
    await server.until(() => server.received.filter(({ message }) => message.name === 'result').length === 2)
    expect(await readFile(trace, 'utf8')).toBe('run\n')
    second.kill('SIGKILL')
    await second.exited
  })

  test('at any moment during commands: runs each script at most once, and reports one result per command', async () => {
    await using folder = await temporaryFolder()
    const data = join(folder.path, 'data')
    const ids = Array.from({ length: 12 }, () => randomUUID())
    const open = new Set<string>(ids)
    const endings = new Map<string, string>()
    const offer = () => {
      for (const id of open)
        server.sendCommand(id, 'run_script', {
          language: 'sh',
          script: `echo x >> ${folder.path}/${id}; sleep 0.0$(( $$ % 9 ))`,
        })
    }
    const note = () => {
      for (const { message } of server.received) {
        if (message.name !== 'result') continue
        const { commandId, status } = message.body
        expect(endings.get(commandId) ?? status).toBe(status)
        endings.set(commandId, status)
        open.delete(commandId)
      }
    }
    for (let round = 0; open.size > 0; round++) {
      const welcomed = server.hellos.length
      await using agent = spawnAgent(main, flags(data))
      await server.until(() => server.hellos.length > welcomed && server.isConnected)
      offer()
      // Each round a little later in the life of the commands; the last ones can finish.
      const wanted = Math.min(1 + 3 * round, 2 * ids.length)
      const before = server.received.length
      await server.until(() => {
        note()
        return open.size === 0 || server.received.length - before >= wanted
      })
      agent.kill('SIGKILL')
      await agent.exited
    }
    const runs = await Promise.all(ids.map((id) => readFile(join(folder.path, id), 'utf8').catch(() => '')))
    for (const [index, trace] of runs.entries()) {
      const status = endings.get(ids[index] ?? '')
      if (status === 'completed') expect(trace).toBe('x\n')
      else expect(['', 'x\n']).toContain(trace)
    }
  })
})

test('ends within seconds on SIGTERM: ends and reports scripts and closes the socket properly', async () => {
  await using folder = await temporaryFolder()
  await using agent = spawnAgent(main, flags(join(folder.path, 'data')))
  await server.next('heartbeat')
  const id = server.command('run_script', {
    language: 'bash',
    script: `trap '' TERM; echo begun; while :; do sleep 0.1; done`,
  })
  await isUnderWay(id)
  const askedAt = performance.now()
  agent.kill('SIGTERM')
  expect(await agent.exited).toBe(0)
  // The limit is five seconds; the rest is for a busy test machine.
  expect(performance.now() - askedAt).toBeLessThan(8000)
  expect(await server.result(id)).toMatchObject({ status: 'failed', stdout: 'begun\n' })
  await server.until(() => !server.isConnected)
  expect(server.closeCodes.at(-1)).toBe(1000)
  expect(agent.output()).toContain('stopping: SIGTERM')
})

test('logs JSON lines when asked to', async () => {
  await using folder = await temporaryFolder()
  await using agent = spawnAgent(main, [...flags(join(folder.path, 'data')), '--log-json'])
  await server.next('heartbeat')
  agent.kill('SIGTERM')
  await agent.exited
  const lines = agent.output().trim().split('\n')
  const enrolled = JSON.parse(lines[0] ?? '')
  expect(enrolled).toMatchObject({ level: 'info', app: 'agent', deviceId: expect.any(String) })
  expect(agent.output()).not.toContain('test-key')
})

test('has separate exit codes for an invalid command line and a refused key', async () => {
  await using folder = await temporaryFolder()
  await using wrong = spawnAgent(main, ['--serve', 'x'])
  expect(await wrong.exited).toBe(2)
  expect(wrong.output()).toMatch(/--serve.*Usage: muster-agent/s)
  server.behavior.refusesEnrollment = { status: 401, body: { code: 'BAD_KEY', message: 'Unknown enrollment key' } }
  await using refused = spawnAgent(main, flags(join(folder.path, 'data')))
  expect(await refused.exited).toBe(3)
  expect(refused.output()).toContain('error: ')
  expect(refused.output()).toContain('Unknown enrollment key')
})

test('reports a folder that cannot be written with one error', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  await using agent = spawnAgent(main, flags(join(file, 'data')))
  expect(await agent.exited).toBe(3)
  expect(agent.output()).toMatch(/error: cannot use the data folder .*ENOTDIR/)
})

test('stays below 80 MB from its bundle, after an inventory and a script with much output', async () => {
  await using folder = await temporaryFolder()
  await using agent = spawnAgent('agent.mjs', flags(join(folder.path, 'data')))
  await server.next('inventory')
  const script = 'for n in $(seq 2000); do echo "line $n of some output"; done'
  expect((await server.result(server.command('run_script', { language: 'bash', script }))).status).toBe('completed')
  expect((await server.result(server.command('refresh_inventory', {}))).status).toBe('completed')
  const status = await readFile(`/proc/${agent.pid}/status`, 'utf8')
  const residentKib = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
  expect(residentKib).toBeGreaterThan(20_000)
  expect(residentKib).toBeLessThan(80 * 1024)
  expect((await stat(join(folder.path, 'data/identity.key'))).mode & 0o777).toBe(0o600)
  expect(await readdir(join(folder.path, 'data/scripts'))).toEqual([])
})
