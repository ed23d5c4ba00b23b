// When a rollout advances, halts and completes: decided by counts only.
import { isEnough, isHalted, totalOf } from '../../background/staged-work.rules.ts'

/** The results of the devices to which a rollout offered its version. */
export interface Counts {
  readonly offered: number
  readonly succeeded: number
  readonly failed: number
}

/** The results in one organization. */
export interface OrgCounts extends Counts {
  readonly partnerId: string
  readonly orgId: string
}

export interface Thresholds {
  readonly stages: readonly number[]
  /** Counted from 1. */
  readonly stage: number
  readonly successPercent: number
  readonly errorPercent: number
  readonly errorsAccepted: number
}

export type Verdict =
  | { readonly next: 'halt'; readonly reason: string }
  | { readonly next: 'advance' | 'complete' | 'wait' }

/** Devices that a rollout reaches, out of ten thousand. */
export function reachPlaces({ stages, stage }: Pick<Thresholds, 'stages' | 'stage'>): number {
  return Math.round((stages[stage - 1] ?? 0) * 100)
}

/** Whether too many of the reached devices failed. Failures that a person accepted do not count. */
const tooManyErrors = ({ failed, offered }: Counts, { errorPercent, errorsAccepted }: Thresholds): boolean =>
  isHalted({ failed, accepted: errorsAccepted, issued: offered }, { percent: errorPercent })

export function sumOf(all: readonly Counts[]): Counts {
  return { offered: totalOf('offered', all), succeeded: totalOf('succeeded', all), failed: totalOf('failed', all) }
}

type Tenant = 'partnerId' | 'orgId'
type Measure = (counts: Counts) => number

/** All counts except those of the tenant with the highest value; all counts if there is only one tenant. */
function withoutWorst(all: readonly OrgCounts[], tenant: Tenant, most: Measure): readonly OrgCounts[] {
  const ids = [...new Set(all.map((counts) => counts[tenant]))]
  const of = (id: string) => most(sumOf(all.filter((counts) => counts[tenant] === id)))
  const [worst] = ids.sort((one, other) => of(other) - of(one))
  return ids.length < 2 ? all : all.filter((counts) => counts[tenant] !== worst)
}
const tenants = ['orgId', 'partnerId'] as const

/**
 * Whether the rollout halts for all tenants. The failures must be too many even without the worst organization or partner: with
 * an enrollment key, an attacker can enroll devices that pretend to fail.
 */
export function failsWidely(all: readonly OrgCounts[], given: Thresholds): boolean {
  const samples = [all, ...tenants.map((tenant) => withoutWorst(all, tenant, ({ failed }) => failed))]
  return samples.every((sample) => tooManyErrors(sumOf(sample), given))
}

/** Organizations in which too many devices failed while others succeeded: the rollout halts for these only. */
export function heldOrgs(all: readonly OrgCounts[], given: Thresholds): string[] {
  if (all.length < 2 || !tooManyErrors(sumOf(all), given)) return []
  return all.flatMap((counts) => (tooManyErrors(counts, { ...given, errorsAccepted: 0 }) ? [counts.orgId] : []))
}

/**
 * Whether enough devices run the version: of all devices, or of those without the tenant that lacks it most, if at least half of
 * the devices are left. So one silent tenant does not block a version, and a minority does not prove it.
 */
function isProved(all: readonly OrgCounts[], { successPercent }: Thresholds): boolean {
  const total = sumOf(all)
  const samples = tenants.map((tenant) =>
    sumOf(withoutWorst(all, tenant, (counts) => counts.offered - counts.succeeded)),
  )
  return [total, ...samples.filter(({ offered }) => offered * 2 >= total.offered)].some(({ offered, succeeded }) =>
    isEnough(succeeded, offered, successPercent),
  )
}

/**
 * @param isDue whether the stage has lasted long enough
 * @param members how many devices the stage includes, connected or not, without those of held organizations
 */
export function verdictOf(all: readonly OrgCounts[], given: Thresholds, isDue: boolean, members: number): Verdict {
  if (failsWidely(all, given)) {
    const { failed, offered } = sumOf(all)
    return { next: 'halt', reason: `${failed} of ${offered} devices failed to update` }
  }
  const held = heldOrgs(all, given)
  const counted = all.filter(({ orgId }) => !held.includes(orgId))
  // A stage without connected devices proves nothing; a stage without members needs no proof.
  if (!isDue || !(isProved(counted, given) || members === 0)) return { next: 'wait' }
  if (given.stage < given.stages.length) return { next: 'advance' }
  return { next: sumOf(counted).succeeded >= members ? 'complete' : 'wait' }
}
