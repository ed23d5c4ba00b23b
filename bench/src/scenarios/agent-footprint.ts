import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { AgentState, controlFile } from '../../../apps/agent/src/control.ts'
import { FakeServer } from '../../../apps/agent/src/testing/fake-server.ts'
import { buildExecutable, thisTarget } from '../../../scripts/agent-build/executable.ts'
import { cpuSecondsOf, residentBytesOf } from '../proc.ts'
import { bar, type Report, significant } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { pause } from '../waiting.ts'

const heartbeatMs = 60_000
/** After the inventory, so that one-time work is not measured. */
const settleMs = 30_000
const idleSeconds = 300
const mebibyte = 2 ** 20

/** What the installed agent needs on its machine: the executable, and agent and watchdog while idle. */
export const agentFootprint: Scenario = {
  summary: 'CPU and memory of an idle agent and its watchdog, and the size of the executable',
  secondsMax: 1_200,
  hasNoQuickForm: true,
  async run({ options, say, keep }: Run): Promise<Report> {
    const folder = await mkdtemp(join(tmpdir(), 'muster-footprint-'))
    keep({ stop: () => rm(folder, { recursive: true, force: true }) })
    const executable = join(folder, 'muster-agent')
    await buildExecutable({ target: thisTarget(), release: { version: '1.0.0' }, to: executable })
    const content = await readFile(executable)
    const compressed = await promisify(zstdCompress)(content)
    const server = await FakeServer.start()
    server.behavior.heartbeatMs = heartbeatMs
    keep(server)
    const data = join(folder, 'data')
    const flags = ['--server', server.url, '--data-dir', data]
    const watchdog = spawn(executable, ['watchdog', ...flags], {
      stdio: 'ignore',
      env: { ...process.env, MUSTER_ENROLLMENT_KEY: 'bench' },
    })
    const ended = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()))
    keep({ stop: () => (watchdog.kill('SIGTERM') ? ended : Promise.resolve()) })
    await server.next('inventory')
    await server.until(() => server.watchdogHellos.length > 0)
    await pause(settleMs)
    const pids = { agent: await agentPid(join(data, controlFile)), watchdog: watchdog.pid ?? -1 }
    const before = { agent: cpuSecondsOf(pids.agent), watchdog: cpuSecondsOf(pids.watchdog) }
    const seconds = options.seconds ?? idleSeconds
    say(`idle for ${seconds} s`)
    await pause(seconds * 1000)
    const of = (name: 'agent' | 'watchdog') => ({
      residentMiB: residentBytesOf(pids[name]) / mebibyte,
      cpuPercent: ((cpuSecondsOf(pids[name]) - before[name]) / seconds) * 100,
    })
    const [agent, dog] = [of('agent'), of('watchdog')]
    const size = { MiB: content.length / mebibyte, compressedMiB: compressed.length / mebibyte }
    return {
      scenario: 'agent-footprint',
      ratios: {},
      bars: [
        bar('resident memory of the agent', agent.residentMiB, 'at most', 70, ' MiB'),
        bar('CPU of the idle agent', agent.cpuPercent, 'at most', 0.1, ' %'),
      ],
      tables: [
        {
          title: `idle for ${seconds} s, one heartbeat every ${heartbeatMs / 1000} s`,
          head: ['process', 'resident MiB', 'CPU %'],
          rows: Object.entries({ agent, watchdog: dog }).map(([name, { residentMiB, cpuPercent }]) => [
            ...[name, significant(residentMiB), significant(cpuPercent)],
          ]),
        },
        {
          title: 'executable',
          head: ['for', 'MiB', 'compressed MiB'],
          rows: [[`linux-${process.arch}`, significant(size.MiB), significant(size.compressedMiB)]],
        },
      ],
      figures: { seconds, agent, watchdog: dog, size },
    }
  },
}

async function agentPid(socket: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket)
    connection.once('error', reject)
    connection.once('data', (text) => {
      resolve(AgentState.parse(JSON.parse(text.toString().split('\n')[0] ?? '')).pid)
      connection.destroy()
    })
  })
}
