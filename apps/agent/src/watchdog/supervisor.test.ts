// The watchdog over real processes, with shorter timeouts than in production.
import { chmod, copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '../log.ts'
import { loadPlatform } from '../platform/load.ts'
import { FakeServer } from '../testing/fake-server.ts'
import { isRunning, temporaryFolder } from '../testing/test-agent.ts'
import { UpdateSteps } from '../update/attempt.ts'
import { Installation } from '../update/installation.ts'
import { UpdateJournal } from '../update/update-journal.ts'
import { AgentLink } from './agent-link.ts'
import { type Sight, Supervisor } from './supervisor.ts'

vi.mock('../limits.ts', async (original) => ({
  ...(await original<typeof import('../limits.ts')>()),
  // Long enough that an agent that starts slowly beside other tests does not count as hung.
  ...{ pingEveryMs: 1_000, restartDelayFirstMs: 20, restartDelayMaxMs: 50 },
  // Longer than a test: none waits until an agent is killed.
  agentGraceMs: 60_000,
}))

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

let server: FakeServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let stopping: AbortController
let sights: Sight[]
let ended: Promise<number>
beforeEach(async () => {
  vi.stubEnv('MUSTER_ENROLLMENT_KEY', 'k')
  server = await FakeServer.start()
  folder = await temporaryFolder()
  stopping = new AbortController()
  sights = []
})
afterEach(async () => {
  stopping.abort()
  await ended
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

async function seen(agent: Sight['agent']): Promise<Sight> {
  for (;;) {
    const sight = sights.find((each) => each.agent === agent)
    if (sight !== undefined) return sight
    await pause(20)
  }
}
/** The PID of the agent, as the watchdog finds it. */
const pidOf = async () => {
  const link = await AgentLink.open(folder.path, await loadPlatform(), 5_000)
  link?.close()
  return link?.state.pid
}

async function watch(
  program: { file: string; args: string[] },
  options: { steps?: UpdateSteps; journal?: UpdateJournal; hasSignals?: boolean } = {},
) {
  const platform = await loadPlatform()
  const { steps, journal = new UpdateJournal(folder.path), hasSignals = platform.hasSignals } = options
  const supervisor = new Supervisor({
    ...{ directory: folder.path, program, steps, journal, confirmMs: 60_000 },
    platform: { ...platform, hasSignals },
    isOnline: () => true,
    onSight: (sight) => sights.push(sight),
    onTrusted: () => undefined,
    log: createLog(false, () => undefined),
  })
  ended = supervisor.run(stopping.signal)
}
const agentArgs = () => ['--server', server.url, '--data-dir', folder.path]

describe('an agent', () => {
  test('that hangs is killed and restarted, and reported as silent', async () => {
    await watch({ file: process.execPath, args: [main, ...agentArgs()] })
    await server.until(() => server.isConnected)
    // It has some time to start first, in which silence is ignored.
    await seen('running')
    const first = await pidOf()
    if (first === undefined) throw new Error('the agent did not report its PID')
    process.kill(first, 'SIGSTOP')
    await server.until(() => server.hellos.length > 1 && server.isConnected)
    expect(await isRunning(String(first))).toBe(false)
    expect(server.hellos[1]?.bootId).not.toBe(server.hellos[0]?.bootId)
    expect(await seen('silent')).toMatchObject({ error: 'the agent does not answer' })
    expect((await seen('restarting')).restarts).toBe(0)
    while (sights.at(-1)?.agent !== 'running') await pause(20)
    expect(sights.at(-1)?.restarts).toBeGreaterThan(0)
    expect(sights.at(-1)?.error).toBeUndefined()
  })

  test('that is killed is restarted', async () => {
    await watch({ file: process.execPath, args: [main, ...agentArgs()] })
    await server.until(() => server.isConnected)
    process.kill((await pidOf()) ?? 0, 'SIGKILL')
    await server.until(() => server.hellos.length > 1 && server.isConnected)
  })

  test('that has just been started stops with its watchdog, on a system without signals', async () => {
    await watch({ file: process.execPath, args: [main, ...agentArgs()] }, { hasSignals: false })
    await seen('restarting')
    stopping.abort()
    expect(await ended).toBe(0)
    expect(await pidOf()).toBeUndefined()
  })

  test('whose executable is damaged is replaced by its backup', async () => {
    const installation = new Installation(join(folder.path, 'muster-agent'))
    const journal = new UpdateJournal(folder.path)
    await writeFile(installation.previous, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`)
    await writeFile(installation.current, '#!/bin/sh\nexit 1\n')
    for (const path of [installation.previous, installation.current]) await chmod(path, 0o755)
    await copyFile(installation.current, installation.watchdog)
    await watch(
      { file: installation.current, args: agentArgs() },
      { steps: new UpdateSteps(installation, journal), journal },
    )
    await server.until(() => server.isConnected)
    await seen('failover')
    expect((await journal.read()).outcome).toMatchObject({
      ...{ state: 'rolled_back', reason: 'did_not_start', error: 'the executable failed to start 5 times' },
    })
  })
})
