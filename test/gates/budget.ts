// How many probes an operation gets. Every operation keeps its core probes and the operations of changed areas keep all. The
// others share a budget, so that the gates stay fast however many operations there are. GATE_FULL=1 runs every probe.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const seed = process.env.PROPERTY_SEED || 'usual'
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** Paths that changed since this branch left main, or on main since the previous commit; null without git. */
function changedPaths(): string[] | null {
  try {
    const head = git('rev-parse', 'HEAD')
    const fork = git('merge-base', 'HEAD', 'main')
    const base = fork === head ? git('rev-parse', 'HEAD^') : fork
    return `${git('diff', '--name-only', base)}\n${git('ls-files', '--others', '--exclude-standard')}`.split('\n')
  } catch {
    return null
  }
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The operations that get every probe: those of changed areas, or null for all. */
export function changedOperations<O extends Pick<Operation, 'id'>>(
  all: readonly O[],
  paths: readonly string[] | null,
): ReadonlySet<O> | null {
  if (paths === null) return null
  const folders = new Set(paths.flatMap((path) => /^packages\/areas\/src\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? []))
  // An area without operations is below others, as the packages are: its change selects none.
  const found = [...folders].flatMap((folder) => {
    const named = (part: number) => all.filter(({ id }) => kebab(id.split('.')[part] ?? '') === folder)
    // Some resources have their own folder beside the area's folder.
    const ofArea = named(0)
    return ofArea.length > 0 ? ofArea : named(1)
  })
  return new Set(found)
}

const changed = process.env.GATE_FULL ? null : changedOperations(operations, changedPaths())
const areas = new Set([...(changed ?? [])].map(({ id }) => id.split('.', 1)[0]))
console.log(
  changed === null
    ? 'Every operation gets every probe.'
    : `All probes: ${[...areas].join(', ') || 'no area'}. The other operations: core probes and a sample (seed ${seed}).`,
)

/** Whether the operation gets every probe. */
export const getsAll = (operation: Operation): boolean => changed === null || changed.has(operation)

/** The share of the budget that each operation gets. */
const shareOf = (budget: number) => Math.floor(budget / operations.length)

/** How often a generated case runs for this operation: `all` times, or its share of the budget, at least `core`. */
export function triesOf(operation: Operation, { all, core, budget }: { all: number; core: number; budget: number }) {
  return getsAll(operation) ? all : Math.min(all, Math.max(core, shareOf(budget)))
}

const rank = (key: string) => createHash('sha256').update(`${seed} ${key}`).digest('hex')

/** The core probes of this operation, and others up to its share of the budget, in the given order. */
export function probesOf<P>(
  operation: Operation,
  probes: readonly P[],
  { budget, isCore }: { budget: number; isCore(probe: P): boolean },
): readonly P[] {
  if (getsAll(operation)) return probes
  const core = probes.filter(isCore)
  // Chosen by position, because the ids in a probe differ in every run.
  const others = probes
    .map((probe, index) => ({ probe, rank: rank(`${operation.id} ${index}`) }))
    .filter(({ probe }) => !isCore(probe))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const room = Math.max(0, shareOf(budget) - core.length)
  const kept = new Set([...core, ...others.slice(0, room).map(({ probe }) => probe)])
  return probes.filter((probe) => kept.has(probe))
}
