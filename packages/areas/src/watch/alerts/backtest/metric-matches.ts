// Devices for which a tree of metrics holds now, by their recent heartbeats.
import { compileRules } from '../evaluation/compile.ts'
import { figureOf, firing, nextPhase, normal, pending, truthOf } from '../evaluation/evaluate.ts'
import { createValues, takeSample } from '../evaluation/sample.ts'
import { watch } from '../evaluation/watched.ts'
import type { MetricTree } from '../rules/conditions.contract.ts'
import { columnsOf } from './backtest.ts'
import { type Looked, type Looking, type Match, matchesMax } from './looking.ts'
import { heartbeatsOf } from './points.ts'
import { atOnceFor, idsOf, inParts, msLeft } from './reading.ts'
import type { TestedRule } from './tested-rule.ts'

export async function metricMatches(looking: Looking, rule: TestedRule, conditions: MetricTree): Promise<Looked> {
  const set = compileRules([{ ...rule, id: '', version: 0, conditions }])
  const matches: Match[] = []
  const [compiled] = set.rules
  if (compiled === undefined) return { matches, devices: 0 }
  const waits = rule.forSeconds + rule.clearForSeconds + 120
  const seconds = Math.max(300, waits, ...set.windows.map(({ ms }) => (ms / 1_000) * 1.5))
  let leaf = compiled.root
  while (leaf.parts[0] !== undefined) leaf = leaf.parts[0]
  const values = createValues()
  const devices = await inParts(looking, looking.devices, atOnceFor(seconds / 60), async (part) => {
    const heartbeats = await heartbeatsOf(looking.db, msLeft(looking), idsOf(part), seconds)
    if (heartbeats === null) return false
    for (const [deviceId, samples] of Map.groupBy(heartbeats, (heartbeat) => heartbeat.deviceId)) {
      const watched = watch(0, set)
      let [phase, sinceMs, lastMs] = [normal, 0, 0]
      for (const { figures, atMs } of samples) {
        takeSample(values, columnsOf(figures), 0, watched, atMs)
        const truth = truthOf(compiled.root, watched, values, atMs, phase >= firing)
        const next = nextPhase(compiled, phase, sinceMs, truth, atMs)
        if (next !== phase) [phase, sinceMs] = [next, atMs]
        lastMs = atMs
      }
      if (phase === normal && !looking.isOne) continue
      const value = figureOf(leaf, watched, values, lastMs)
      const would = phase >= firing ? 'fire' : phase === pending ? 'pending' : 'clear'
      matches.push({ deviceId, value: Number.isNaN(value) ? null : value, would })
    }
    return matches.length < matchesMax
  })
  return {
    matches: matches.slice(0, matchesMax),
    devices: matches.length < matchesMax ? devices : looking.devices.length,
  }
}
