// Decides about one device from one heartbeat, without a store and without allocating.
import { all, type CompiledRule, leaf, type Node } from './compile.ts'
import type { Watched } from './watched.ts'

export const normal = 0
/** True, but not yet for as long as the rule asks. */
export const pending = 1
export const firing = 2
/** False, but not yet for as long as the rule asks. */
export const clearing = 3
export const phaseNames = ['normal', 'pending', 'firing', 'clearing'] as const

const unknown = -1

/** Whether a node holds: 1, 0, or -1 if a figure is missing that decides it. */
export function truthOf(node: Node, watched: Watched, values: Float64Array, atMs: number, isFiring: boolean): number {
  if (node.kind === leaf) return leafTruth(node, watched, values, atMs, isFiring)
  const decisive = node.kind === all ? 0 : 1
  let truth = 1 - decisive
  for (let index = 0; index < node.parts.length; index++) {
    const part = node.parts[index]
    if (part === undefined) continue
    const its = truthOf(part, watched, values, atMs, isFiring)
    if (its === decisive) return decisive
    if (its === unknown) truth = unknown
  }
  return truth
}

function leafTruth(node: Node, watched: Watched, values: Float64Array, atMs: number, isFiring: boolean): number {
  const value = figureOf(node, watched, values, atMs)
  if (Number.isNaN(value)) return unknown
  const threshold = isFiring ? node.clearThreshold : node.threshold
  if (value === threshold) {
    // A firing condition ends when the value has reached a threshold for clearing that differs.
    if (isFiring && node.clearThreshold !== node.threshold) return 0
    return node.isStrict ? 0 : 1
  }
  return value > threshold === node.isRising ? 1 : 0
}

/** The figure that a leaf compares; NaN if it is unknown. */
export function figureOf(node: Node, watched: Watched, values: Float64Array, atMs: number): number {
  if (node.window < 0) return values[node.metric] ?? Number.NaN
  return watched.windows?.[node.window]?.aggregate(node.aggregate, atMs) ?? Number.NaN
}

/** The phase after a sample. */
export function nextPhase(
  rule: Pick<CompiledRule, 'forMs' | 'clearForMs'>,
  phase: number,
  sinceMs: number,
  truth: number,
  atMs: number,
): number {
  if (truth === unknown) return phase
  if (phase === normal || phase === pending) {
    if (truth === 0) return normal
    const began = phase === pending ? sinceMs : atMs
    return atMs - began >= rule.forMs ? firing : pending
  }
  if (truth === 1) return firing
  const began = phase === clearing ? sinceMs : atMs
  return atMs - began >= rule.clearForMs ? normal : clearing
}
