// Evaluates the rules on metrics on each new heartbeat. Only changes of phase are written.
import type pg from 'pg'
import { type Evaluated, evaluator, type NewHeartbeats } from '../../../background/evaluator.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import type { CompiledRule, Node } from './compile.ts'
import { clearing, figureOf, firing, nextPhase, normal, truthOf } from './evaluate.ts'
import { metricAt, type RuleSets, ruleSetsOf } from './rule-sets.ts'
import { createValues, takeSample } from './sample.ts'
import { storeTransitions, type Transition } from './transitions.ts'
import { Watched } from './watched.ts'

// Evaluation is synchronous, so one set of values serves all devices.
const values = createValues()

/** What each leaf of a rule compared, for the alert. */
function figuresOf(
  node: Node,
  watched: Watched,
  atMs: number,
): { metric: string; threshold: number; value: number | null }[] {
  if (node.parts.length > 0) return node.parts.flatMap((part) => figuresOf(part, watched, atMs))
  const value = figureOf(node, watched, values, atMs)
  return [{ metric: metricAt(node.metric), threshold: node.threshold, value: Number.isNaN(value) ? null : value }]
}

/** The reads of one worker. */
class Evaluation {
  readonly #read: NewHeartbeats
  readonly #memory: (Watched | undefined)[] = []
  readonly transitions: Transition[] = []

  constructor(read: NewHeartbeats) {
    this.#read = read
  }

  /** Takes what is known about the devices. @returns the devices that have to be learned */
  recall(sets: RuleSets): number[] {
    const { heartbeats, newest } = this.#read
    const missing: number[] = []
    for (const row of newest) {
      const device = heartbeats.device[row] ?? 0
      const partnerId = this.#read.partnerOf(device)
      if (partnerId === undefined) continue
      const memory = this.#read.memoryOf(device)
      if (memory instanceof Watched && sets.isCurrent(memory, () => this.#read.deviceId(device), partnerId))
        this.#memory[device] = memory
      else missing.push(device)
    }
    return missing
  }

  remember(device: number, watched: Watched): void {
    this.#memory[device] = watched
    this.#read.keep(device, watched)
  }

  run(): void {
    for (const row of this.#read.earlier) this.#judge(row)
    for (const row of this.#read.newest) this.#judge(row)
  }

  #judge(row: number): void {
    const { heartbeats } = this.#read
    const device = heartbeats.device[row] ?? 0
    const watched = this.#memory[device]
    if (watched === undefined || watched.rules.rules.length === 0) return
    const atMs = heartbeats.atMs[row] ?? 0
    takeSample(values, heartbeats.figures, row, watched, atMs)
    const { rules } = watched.rules
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index]
      if (rule === undefined) continue
      const phase = watched.phases?.[index] ?? normal
      const truth = truthOf(rule.root, watched, values, atMs, phase >= firing)
      // Almost all: nothing holds, and nothing did.
      if (phase === normal && truth !== 1) continue
      const next = nextPhase(rule, phase, watched.sinceMs?.[index] ?? 0, truth, atMs)
      if (next !== phase) this.#change(device, index, rule, phase, next, atMs)
    }
  }

  #change(device: number, index: number, rule: CompiledRule, phase: number, next: number, atMs: number): void {
    const before = this.#memory[device]
    if (before === undefined) return
    const size = before.rules.rules.length
    const phases = before.phases?.slice() ?? new Uint8Array(size)
    const sinceMs = before.sinceMs?.slice() ?? new Float64Array(size)
    phases[index] = next
    sinceMs[index] = atMs
    this.remember(device, before.with(phases, sinceMs))
    this.transitions.push({
      deviceId: this.#read.deviceId(device),
      ruleId: rule.id,
      version: rule.version,
      phase: next,
      sinceMs: atMs,
      fires: next === firing && phase !== clearing,
      clears: next === normal && phase >= firing,
      figures: next === firing ? figuresOf(rule.root, before, atMs) : [],
    })
  }
}

async function evaluate(parts: WorkerParts, sets: RuleSets, read: NewHeartbeats): Promise<Evaluated> {
  await sets.begin()
  const evaluation = new Evaluation(read)
  const missing = evaluation.recall(sets)
  if (missing.length > 0) {
    const ids = missing.map((device) => read.deviceId(device))
    const learned = await sets.learn(ids)
    for (const [index, device] of missing.entries()) {
      const watched = learned.get(ids[index] ?? '')
      if (watched !== undefined) evaluation.remember(device, watched)
    }
  }
  evaluation.run()
  const { transitions } = evaluation
  if (transitions.length === 0) return null
  const forget = () => sets.forget(transitions.map(({ deviceId }) => deviceId))
  return (client: pg.PoolClient) => storeTransitions(client, transitions, parts, forget)
}

export const heartbeatRules = evaluator({
  name: 'alert-rules',
  begin(parts) {
    const sets = ruleSetsOf(parts)
    return {
      isDue: () => sets.isDue,
      // Heartbeats are stored although their rules cannot be read; the next one is evaluated again.
      evaluate: (read) =>
        evaluate(parts, sets, read).catch((error: unknown) => {
          parts.log.error({ err: error }, 'Heartbeats could not be evaluated')
          return null
        }),
    }
  },
})
