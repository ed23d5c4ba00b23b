import { CheckFinding, RunCheck } from '@muster/wire/commands/checks.ts'
import { observationsMax } from '@muster/wire/limits.ts'
import type { AssignedCheck, CheckAssignment } from '@muster/wire/messages/assignment.ts'
import type { CheckObservations, Observation } from '@muster/wire/messages/observations.ts'
import type { z } from 'zod'
import { Chance } from '../chance.ts'
import { type Tools, tool } from './tool.ts'

const minuteMs = 60_000
/** Sample monitors are made soon after the start of a machine. They have the results of an hour before. */
const historyMinutes = 60
const samplesMs = 30_000
const historyStep = 4
/** In the targets of monitors that have failed. */
export const deadTarget = 'retired'

/** What a check of a simulated machine finds at this time: the same whenever it is asked. */
function findingOf({ check, degradedMs }: AssignedCheck, atMs: number): z.infer<typeof CheckFinding> {
  const target = 'url' in check ? check.url : 'host' in check ? check.host : check.type
  if (target.includes(deadTarget)) return { state: 'failed', text: 'connect ECONNREFUSED' }
  const chance = new Chance(`${check.type} ${target} ${Math.floor(atMs / minuteMs)}`)
  const ms = chance.whole(2, 60) + (chance.percent(4) ? 400 : 0)
  return { state: degradedMs !== undefined && ms > degradedMs ? 'degraded' : 'ok', ms }
}

interface Taken {
  readonly assignment: CheckAssignment
  readonly atMs: number
}

/** The checks that are assigned to a simulated machine, and what they find. */
export class Checks {
  readonly #assigned = new Map<CheckAssignment['kind'], Taken>()
  readonly #startedMs: number

  constructor(startedMs = Date.now()) {
    this.#startedMs = startedMs
  }

  get revision(): number {
    return Math.max(0, ...[...this.#assigned.values()].map(({ assignment }) => assignment.revision))
  }

  get tools(): Tools {
    return { run_check: tool(RunCheck, CheckFinding, ({ assigned }, now) => findingOf(assigned, now)) }
  }

  /** Follows an assignment. @returns its confirmation, and what the checks that are new have found */
  take(assignment: CheckAssignment, nowMs: number): CheckObservations[] {
    const before = this.#assigned.get(assignment.kind)
    const known = new Set(before?.assignment.items.map(({ id }) => id))
    const added = assignment.items.filter(({ id }) => !known.has(id))
    this.#assigned.set(assignment.kind, { assignment, atMs: nowMs })
    if (nowMs - this.#startedMs > samplesMs) return messagesOf(assignment, observed(added, nowMs))
    const minutes = Array.from(
      { length: historyMinutes / historyStep },
      (_, step) => historyMinutes - step * historyStep,
    )
    return messagesOf(
      assignment,
      minutes.flatMap((ago) => observed(added, minuteOf(nowMs - ago * minuteMs))),
    )
  }

  /** What the checks of all assignments find now. */
  report(nowMs: number): CheckObservations[] {
    return [...this.#assigned.values()].flatMap(({ assignment, atMs }) =>
      assignment.items.length === 0
        ? []
        : messagesOf(assignment, observed(assignment.items, Math.max(atMs, minuteOf(nowMs)))),
    )
  }
}

/** The beginning of the minute, so that a repetition is the same observation. */
const minuteOf = (atMs: number): number => Math.floor(atMs / minuteMs) * minuteMs

function observed(items: readonly AssignedCheck[], at: number): Observation[] {
  return items.map((assigned) => {
    const { ms, ...finding } = findingOf(assigned, at)
    const timed = ms === undefined ? {} : { minMs: ms, maxMs: ms, sumMs: ms }
    return { id: assigned.id, at, rounds: 1, failed: finding.state === 'failed' ? 1 : 0, ...finding, ...timed }
  })
}

function messagesOf({ kind, revision }: CheckAssignment, items: readonly Observation[]): CheckObservations[] {
  const count = Math.max(1, Math.ceil(items.length / observationsMax))
  return Array.from({ length: count }, (_, part) => ({
    kind,
    revision,
    items: items.slice(part * observationsMax, (part + 1) * observationsMax),
  }))
}
