import { randomUUID } from 'node:crypto'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { FakeServer } from '../testing/fake-server.ts'
import { hasEnded, isRunning, startAgent, type TestAgent, temporaryFolder } from '../testing/test-agent.ts'

let server: FakeServer
let agent: TestAgent
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  server = await FakeServer.start()
  agent = await startAgent(server.url, folder.path)
  await server.next('heartbeat')
})
afterAll(async () => {
  await agent.stop()
  await server.stop()
  await folder[Symbol.asyncDispose]()
})
beforeEach(() => {
  server.received.length = 0
})

const run = (script: string, more: object = {}, limits: { timeoutMs?: number; expiresAt?: number } = {}) =>
  server.command('run_script', { language: 'bash', script, ...more }, limits)

/** Resolves when a running script has printed this output. */
const shows = (commandId: string, output: string) =>
  server.until(() =>
    server.received.some(
      ({ message }) =>
        message.name === 'progress' && message.body.commandId === commandId && message.body.output?.includes(output),
    ),
  )

test('returns the exit code and both output streams of a script separately', async () => {
  const result = await server.result(run('echo out; echo err >&2'))
  expect(result).toMatchObject({ status: 'completed', exitCode: 0, stdout: 'out\n', stderr: 'err\n' })
  expect(result.result).toEqual({ truncated: false, stdoutBytes: 4, stderrBytes: 4 })
})

test('fails a script with a nonzero exit code', async () => {
  const result = await server.result(run('echo before; exit 3'))
  expect(result).toMatchObject({ status: 'failed', exitCode: 3, stdout: 'before\n' })
  expect(result.error).toBe('EXIT_CODE: the script ended with exit code 3')
})

test('refuses a script in an account that the machine does not have', async () => {
  const result = await server.result(run('true', { runAs: 'user', runAsUser: 'no-such-account' }))
  expect(result.error).toBe('NOT_FOUND: the machine has no account no-such-account')
})

test('fails a script that a signal ended, with the exit code that shells report', async () => {
  const result = await server.result(run('kill -KILL $$'))
  expect(result).toMatchObject({ status: 'failed', exitCode: 137, error: 'SIGNAL: the script was ended by SIGKILL' })
})

test.each([
  ['bash', '[[ -v BASH_VERSION ]] && echo "$1 $2"', /^a b c\n$/],
  ['sh', 'echo "$1 $2"', /^a b c\n$/],
  ['python', 'import sys; print(sys.argv[1], sys.argv[2])', /^a b c\n$/],
])('passes arguments to %s unchanged', async (language, script, expected) => {
  const result = await server.result(server.command('run_script', { language, script, args: ['a b', 'c'] }))
  expect(result).toMatchObject({ status: 'completed' })
  expect(result.stdout).toMatch(expected)
})

test('runs a script in a clean environment with its own variables', async () => {
  const result = await server.result(run('env | cut -d= -f1 | sort', { env: { GIVEN: 'yes' } }))
  const names = result.stdout?.trim().split('\n') ?? []
  expect(names).toEqual(expect.arrayContaining(['GIVEN', 'HOME', 'MUSTER_COMMAND_ID', 'PATH']))
  expect(names.filter((name) => name.startsWith('VITEST') || name.startsWith('npm_'))).toEqual([])
})

test('runs a script in the given folder, or in a temporary one', async () => {
  expect((await server.result(run('pwd', { workingDirectory: '/' }))).stdout).toBe('/\n')
  const id = run('pwd; touch mine; ls -ld . | cut -c1-10')
  const result = await server.result(id)
  expect(result.stdout).toBe(`${folder.path}/scripts/${id}\ndrwx------\n`)
  await expect(access(join(folder.path, 'scripts', id))).rejects.toThrow()
  const nowhere = await server.result(run('pwd', { workingDirectory: '/no/such/folder' }))
  expect(nowhere.error).toMatch(/^INVALID_PAYLOAD: workingDirectory/)
})

test('streams output in chunks with offsets while the script runs', async () => {
  const gate = join(folder.path, 'gate')
  const id = run(`echo first; while [ ! -e ${gate} ]; do sleep 0.05; done; echo second`)
  await shows(id, 'first')
  await writeFile(gate, '')
  const result = await server.result(id)
  expect(result.stdout).toBe('first\nsecond\n')
  const pieces = server.received.flatMap(({ message }) => (message.name === 'progress' ? [message.body] : []))
  expect(pieces[0]).toEqual({ commandId: id, state: 'running' })
  expect(pieces[1]).toEqual({ commandId: id, state: 'running', stream: 'stdout', offset: 0, output: 'first\n' })
})

test('truncates and marks output beyond the limit without blocking the script', async () => {
  const result = await server.result(run('head -c 2000000 /dev/zero | tr "\\0" a; echo end >&2'))
  expect(result.status).toBe('completed')
  expect(result.stdout).toHaveLength(256 * 1024)
  expect(result.stderr).toBe('end\n')
  expect(result.result).toEqual({ truncated: true, stdoutBytes: 2_000_000, stderrBytes: 4 })
})

test('converts invalid UTF-8 to text', async () => {
  const result = await server.result(run(`printf 'a\\0b\\xffc\\xe4'`))
  expect(result.stdout).toBe('a\uFFFDb\uFFFDc\uFFFD')
})

test('ends a script at its timeout and returns its output so far', async () => {
  const result = await server.result(run('echo begun; sleep 60', {}, { timeoutMs: 1000 }))
  expect(result).toMatchObject({ status: 'timed_out', stdout: 'begun\n' })
  expect(result.error).toBeUndefined()
  expect(result.durationMs).toBeGreaterThanOrEqual(990)
})

test('ends a canceled script with all its processes, even those that ignore signals or left its group', async () => {
  const pids = join(folder.path, 'pids')
  const id = run(`
    (trap '' TERM; echo $BASHPID >> ${pids}; while :; do sleep 0.1; done) &
    setsid sh -c 'echo $$ >> ${pids}; while :; do sleep 0.1; done' &
    while [ "$(wc -l < ${pids})" != 2 ]; do sleep 0.05; done
    echo ready; sleep 60`)
  await shows(id, 'ready')
  const started = (await readFile(pids, 'utf8')).trim().split('\n')
  expect(await Promise.all(started.map(isRunning))).toEqual([true, true])
  server.order({ name: 'cancel', sequence: 0, body: { id } })
  expect(await server.result(id)).toMatchObject({ status: 'cancelled', stdout: 'ready\n' })
  await Promise.all(started.map(hasEnded))
})

test('kills a script that ignores the signal to end', async () => {
  const result = await server.result(run(`trap '' TERM; while :; do sleep 0.1; done`, {}, { timeoutMs: 200 }))
  expect(result.status).toBe('timed_out')
})

test('runs eight at once; the others wait and can be canceled before they start', async () => {
  const gate = join(folder.path, 'gate-of-eight')
  const running = Array.from({ length: 8 }, () => run(`while [ ! -e ${gate} ]; do sleep 0.05; done`))
  const trace = join(folder.path, 'ninth')
  const [ninth, tenth] = [run(`touch ${trace}`), run('echo tenth')]
  server.order({ name: 'cancel', sequence: 0, body: { id: ninth } })
  expect(await server.result(ninth)).toMatchObject({ status: 'cancelled', durationMs: 0 })
  expect(server.received.filter(({ message }) => message.name === 'result')).toHaveLength(1)
  await writeFile(gate, '')
  expect((await server.result(tenth)).stdout).toBe('tenth\n')
  for (const id of running) expect((await server.result(id)).status).toBe('completed')
  await expect(access(trace)).rejects.toThrow()
})

test('does not run an expired command', async () => {
  const trace = join(folder.path, 'late')
  const result = await server.result(run(`touch ${trace}`, {}, { expiresAt: Date.now() - 1000 }))
  expect(result).toMatchObject({ status: 'expired' })
  await expect(access(trace)).rejects.toThrow()
})

test('completes a script when it exits, although it left a background process', async () => {
  const result = await server.result(run('sleep 20 & echo started'))
  expect(result).toMatchObject({ status: 'completed', stdout: 'started\n' })
  expect(result.durationMs).toBeLessThan(15_000)
})

test('refuses an unknown command and names it', async () => {
  const result = await server.result(server.command('make_coffee', {}))
  expect(result.status).toBe('failed')
  expect(result.error).toMatch(/^UNSUPPORTED_COMMAND: .*make_coffee/)
})

test.each([
  [{ language: 'perl', script: 'x' }, 'language'],
  [{ language: 'sh' }, 'script'],
  [{ language: 'sh', script: '' }, 'script'],
  [{ language: 'sh', script: 'ä'.repeat(131_073) }, 'script'],
  [{ language: 'sh', script: 'x', args: [1] }, 'args.0'],
  [{ language: 'sh', script: 'x', env: { 'A B': 'c' } }, 'env.A B'],
  [{ language: 'sh', script: 'x', workingDirectory: 'relative' }, 'workingDirectory'],
])('refuses an invalid payload and names the field: %#', async (payload, field) => {
  const result = await server.result(server.command('run_script', payload))
  expect(result.status).toBe('failed')
  expect(result.error).toMatch(new RegExp(`^INVALID_PAYLOAD: ${field} `))
})

test('reports a repeated command as running while it runs', async () => {
  const gate = join(folder.path, 'gate-again')
  const id = randomUUID()
  const payload = { language: 'sh', script: `while [ ! -e ${gate} ]; do sleep 0.05; done` }
  const reports = () => server.received.filter(({ message }) => message.name === 'progress').length
  server.sendCommand(id, 'run_script', payload)
  await server.until(() => reports() === 1)
  server.sendCommand(id, 'run_script', payload)
  await server.until(() => reports() === 2)
  await writeFile(gate, '')
  await server.result(id)
  expect(server.received.filter(({ message }) => message.name === 'result')).toHaveLength(1)
})

test('sends a refreshed inventory before the result with its hash and counts', async () => {
  const result = await server.result(server.command('refresh_inventory', {}))
  const names = server.received.map(({ message }) => message.name)
  expect(names.indexOf('inventory')).toBeLessThan(names.indexOf('result'))
  const { body } = await server.next('inventory')
  expect(result).toMatchObject({ status: 'completed', result: { hash: body.hash } })
  expect(result.result?.counts).toMatchObject({ software: body.software.length, disks: body.disks.length })
})

test('stores the auto-update setting in the data folder', async () => {
  const kept = async () => JSON.parse(await readFile(join(folder.path, 'settings.json'), 'utf8')).autoUpdate
  const result = await server.result(server.command('set_auto_update', { enabled: false }))
  expect(result).toMatchObject({ status: 'completed', result: { enabled: false } })
  expect(await kept()).toBe(false)
  await server.result(server.command('set_auto_update', { enabled: true }))
  expect(await kept()).toBe(true)
  expect((await server.result(server.command('set_auto_update', {}))).error).toMatch(/^INVALID_PAYLOAD: enabled /)
})
