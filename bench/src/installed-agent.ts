import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeServer } from '../../apps/agent/src/testing/fake-server.ts'
import { buildExecutable } from '../../scripts/agent-build/executable.ts'
import type { Target } from '../../scripts/agent-build/targets.ts'
import { Wine } from '../../test/windows/wine.ts'
import { processesWith } from './proc.ts'
import type { Run } from './scenario.ts'

const heartbeatMs = 60_000
const workRounds = 3

/** The executable of an agent, its watchdog and its agent, connected to a server that does nothing else. */
export interface InstalledAgent {
  executable: string
  pids: { agent: number; watchdog: number }
}

/** Starts the watchdog of a target; returns when the agent has sent its inventory and done some work. */
export async function installAgent(target: Target, keep: Run['keep']): Promise<InstalledAgent> {
  const server = keep(await FakeServer.start())
  server.behavior.heartbeatMs = heartbeatMs
  const start = target.platform === 'win32' ? startUnderWine : startHere
  const executable = await start(target, server.url, keep)
  await server.next('inventory')
  await server.until(() => server.watchdogHellos.length > 0)
  for (let round = 0; round < workRounds; round++) {
    await server.result(server.command('refresh_inventory', {}))
    for (const type of ['list_processes', 'list_services']) {
      const sequence = server.received.length + 1
      server.order({ name: 'request', sequence, body: { type, payload: {}, timeoutMs: 30_000 } })
      await server.until(() =>
        server.received.some(({ message }) => message.name === 'reply' && message.sequence === sequence),
      )
    }
  }
  const found = processesWith(server.url)
  const pidOf = (isWatchdog: boolean) =>
    found.find(({ command }) => command.includes('watchdog --server') === isWatchdog)?.pid ?? -1
  return { executable, pids: { agent: pidOf(false), watchdog: pidOf(true) } }
}

async function startHere(target: Target, url: string, keep: Run['keep']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-footprint-'))
  keep({ stop: () => rm(folder, { recursive: true, force: true }) })
  const executable = join(folder, target.executable)
  await buildExecutable({ target, release: { version: '1.0.0' }, to: executable })
  const watchdog = spawn(executable, ['watchdog', '--server', url, '--data-dir', join(folder, 'data')], {
    stdio: 'ignore',
    env: { ...process.env, MUSTER_ENROLLMENT_KEY: 'bench' },
  })
  const ended = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()))
  keep({ stop: () => (watchdog.kill('SIGTERM') ? ended : Promise.resolve()) })
  return executable
}

async function startUnderWine(target: Target, url: string, keep: Run['keep']): Promise<string> {
  const wine = keep(await Wine.open('muster-bench'))
  const folder = wine.path('muster-footprint')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const executable = join(folder, target.executable)
  await buildExecutable({ target, release: { version: '1.0.0' }, to: executable })
  const args = ['watchdog', '--server', url, '--data-dir', 'C:\\muster-footprint\\data']
  await wine.start(executable, args, '/dev/null', { MUSTER_ENROLLMENT_KEY: 'bench' })
  return executable
}
