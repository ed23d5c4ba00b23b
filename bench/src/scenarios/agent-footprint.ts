import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { thisTarget } from '../../../scripts/agent-build/executable.ts'
import { type Target, targetsNamed } from '../../../scripts/agent-build/targets.ts'
import { withoutWine } from '../../../test/windows/wine.ts'
import { type InstalledAgent, installAgent } from '../installed-agent.ts'
import { cpuSecondsOf, memoryBytesOf, residentBytesOf } from '../proc.ts'
import { bar, type Report, significant } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { pause } from '../waiting.ts'

/** After the work, so that it is not measured. */
const settleMs = 60_000
const idleSeconds = 300
const mebibyte = 2 ** 20
const parts = ['agent', 'watchdog'] as const
const targetNames = ['linux-x64', 'linux-arm64', 'win-x64', 'win-arm64', 'darwin-x64', 'darwin-arm64']

interface Part {
  residentMiB: number
  /** Pages that processes share are divided among them. */
  proportionalMiB: number
  cpuPercent: number
}

interface Footprint {
  agent: Part
  watchdog: Part
  size: { MiB: number; compressedMiB: number }
}

/** What the installed agent needs on its machine: the executable, and agent and watchdog while idle. */
export const agentFootprint: Scenario = {
  summary: 'CPU and memory of an idle agent and its watchdog, and the size of the executable',
  secondsMax: 1_200,
  hasNoQuickForm: true,
  async run({ options, say, keep }: Run): Promise<Report> {
    const here = thisTarget()
    const targets = [here, ...(withoutWine === undefined ? targetsNamed(['win-x64']) : [])]
    const installed = new Map<Target, InstalledAgent>()
    for (const target of targets) installed.set(target, await installAgent(target, keep))
    await pause(settleMs)
    const seconds = options.seconds ?? idleSeconds
    say(`idle for ${seconds} s`)
    const before = new Map([...installed.values()].map((one) => [one, cpuOf(one)]))
    await pause(seconds * 1000)
    const measured: Record<string, Footprint> = {}
    for (const [target, one] of installed) {
      const [start, end] = [before.get(one) ?? cpuOf(one), cpuOf(one)]
      const part = (name: (typeof parts)[number]): Part => ({
        residentMiB: residentBytesOf(one.pids[name]) / mebibyte,
        proportionalMiB: memoryBytesOf(one.pids[name]) / mebibyte,
        cpuPercent: ((end[name] - start[name]) / seconds) * 100,
      })
      const size = await sizeOf(one.executable)
      measured[nameOf(target)] = { agent: part('agent'), watchdog: part('watchdog'), size }
    }
    const own = measured[nameOf(here)]
    if (own === undefined) throw new Error('unreachable')
    return {
      scenario: 'agent-footprint',
      ratios: {},
      bars: [
        bar('resident memory of agent and watchdog', together(own).residentMiB, 'at most', 110, ' MiB'),
        bar('resident memory of the agent', own.agent.residentMiB, 'at most', 70, ' MiB'),
        bar('CPU of the idle agent', own.agent.cpuPercent, 'at most', 0.1, ' %'),
      ],
      tables: [
        {
          title: `idle for ${seconds} s after three inventories and six requests, one heartbeat a minute; win-x64 under wine, as Linux sees its processes`,
          head: ['target', 'process', 'resident MiB', 'proportional MiB', 'CPU %'],
          rows: targetNames.flatMap((name) => memoryRows(name, measured[name])),
        },
        {
          title: 'executable',
          head: ['target', 'MiB', 'compressed MiB'],
          rows: Object.entries(measured).map(([name, { size }]) => [
            ...[name, significant(size.MiB), significant(size.compressedMiB)],
          ]),
        },
      ],
      figures: { seconds, ...measured },
    }
  },
}

const nameOf = ({ os, arch }: Target): string => `${os}-${arch}`

function cpuOf({ pids }: InstalledAgent): Record<(typeof parts)[number], number> {
  return { agent: cpuSecondsOf(pids.agent), watchdog: cpuSecondsOf(pids.watchdog) }
}

function together({ agent, watchdog }: Footprint): Part {
  return {
    residentMiB: agent.residentMiB + watchdog.residentMiB,
    proportionalMiB: agent.proportionalMiB + watchdog.proportionalMiB,
    cpuPercent: agent.cpuPercent + watchdog.cpuPercent,
  }
}

function memoryRows(target: string, footprint: Footprint | undefined): (string | number)[][] {
  if (footprint === undefined) return [[target, 'both', 'not measured here', '', '']]
  return Object.entries({ agent: footprint.agent, watchdog: footprint.watchdog, both: together(footprint) }).map(
    ([name, part]) => [
      ...[target, name],
      ...[part.residentMiB, part.proportionalMiB, part.cpuPercent].map(significant),
    ],
  )
}

async function sizeOf(executable: string): Promise<Footprint['size']> {
  const content = await readFile(executable)
  const compressed = await promisify(zstdCompress)(content)
  return { MiB: content.length / mebibyte, compressedMiB: compressed.length / mebibyte }
}
