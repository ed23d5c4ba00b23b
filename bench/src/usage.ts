import { availableParallelism } from 'node:os'
import { cpuSecondsOf, machineBusySeconds, memoryBytesOf } from './proc.ts'

/** Groups of processes, listed again at every sample because processes start and end. */
export type Groups = Readonly<Record<string, () => readonly number[]>>

export interface Usage {
  readonly cpuSeconds: number
  /** Percent of one core. */
  readonly cpuPercent: number
  readonly memoryMiB: number
  readonly processes: number
}

export interface UsageReport {
  readonly seconds: number
  readonly groups: Readonly<Record<string, Usage>>
  /** CPU seconds of the machine outside the groups. */
  readonly elsewhereCpuSeconds: number
  /** Percent of the machine that was idle or used by others. */
  readonly leftPercent: number
}

/** Measures CPU and memory of groups of processes from its creation to `report`. */
export class UsageMeter {
  readonly #groups: Groups
  readonly #startedAt = performance.now()
  readonly #busyBefore = machineBusySeconds()
  readonly #cpu: Map<number, number>

  constructor(groups: Groups) {
    this.#groups = groups
    this.#cpu = new Map(this.#pids().map((pid) => [pid, cpuSecondsOf(pid)]))
  }

  report(): UsageReport {
    const seconds = (performance.now() - this.#startedAt) / 1000
    const groups: Record<string, Usage> = {}
    let ours = 0
    for (const [name, pidsOf] of Object.entries(this.#groups)) {
      const pids = pidsOf()
      const sum = (of: (pid: number) => number) => pids.reduce((total, pid) => total + of(pid), 0)
      const cpuSeconds = sum((pid) => Math.max(0, cpuSecondsOf(pid) - (this.#cpu.get(pid) ?? 0)))
      ours += cpuSeconds
      groups[name] = {
        cpuSeconds: round(cpuSeconds, 2),
        cpuPercent: round((100 * cpuSeconds) / seconds, 1),
        memoryMiB: round(sum(memoryBytesOf) / 2 ** 20, 1),
        processes: pids.length,
      }
    }
    const busy = machineBusySeconds() - this.#busyBefore
    return {
      seconds: round(seconds, 2),
      groups,
      elsewhereCpuSeconds: round(Math.max(0, busy - ours), 2),
      leftPercent: round(100 * (1 - ours / (seconds * availableParallelism())), 1),
    }
  }

  #pids(): number[] {
    return Object.values(this.#groups).flatMap((pidsOf) => [...pidsOf()])
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
