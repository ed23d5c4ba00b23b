// When a rollout goes on, when it stops itself and when it is done: decided from counts alone.

/** What became of the devices that a rollout has offered its version to. */
export interface Counts {
  readonly offered: number
  readonly succeeded: number
  readonly failed: number
}

/** The same of the devices of one organization. */
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
export function reachOf({ stages, stage }: Pick<Thresholds, 'stages' | 'stage'>): number {
  return Math.round((stages[stage - 1] ?? 0) * 100)
}

/** Whether so many failures are too many of those reached. What a person has seen and accepted does not count. */
function tooManyErrors(counts: Counts, { errorPercent, errorsAccepted }: Thresholds): boolean {
  const failed = counts.failed - errorsAccepted
  return failed > 0 && failed * 100 > errorPercent * counts.offered
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) => all.reduce((total, counts) => total + counts[field], 0)
  return { offered: sum('offered'), succeeded: sum('succeeded'), failed: sum('failed') }
}

type Tenant = 'partnerId' | 'orgId'
type Measure = (counts: Counts) => number

/** All but those of the tenant that has most of something; all where there is one tenant only. */
function withoutWorst(all: readonly OrgCounts[], tenant: Tenant, most: Measure): readonly OrgCounts[] {
  const ids = [...new Set(all.map((counts) => counts[tenant]))]
  const of = (id: string) => most(sumOf(all.filter((counts) => counts[tenant] === id)))
  const [worst] = ids.sort((one, other) => of(other) - of(one))
  return ids.length < 2 ? all : all.filter((counts) => counts[tenant] !== worst)
}
const tenants = ['orgId', 'partnerId'] as const

/**
 * Whether so many failures are too many for everybody. They have to be too many without any one organization or partner as well:
 * whoever holds an enrollment key can enroll devices that only pretend to fail.
 */
export function failsWidely(all: readonly OrgCounts[], given: Thresholds): boolean {
  const samples = [all, ...tenants.map((tenant) => withoutWorst(all, tenant, ({ failed }) => failed))]
  return samples.every((sample) => tooManyErrors(sumOf(sample), given))
}

/** Organizations in which too many devices failed while others did well: the rollout stops for these alone. */
export function heldOrgs(all: readonly OrgCounts[], given: Thresholds): string[] {
  if (all.length < 2 || !tooManyErrors(sumOf(all), given)) return []
  return all.flatMap((counts) => (tooManyErrors(counts, { ...given, errorsAccepted: 0 }) ? [counts.orgId] : []))
}

/**
 * Whether enough devices run the version. The silence of one tenant keeps nobody back, as long as most devices are others': one
 * that never answers must not hold a version, and one that answers well must not carry it alone.
 */
function isProved(all: readonly OrgCounts[], { successPercent }: Thresholds): boolean {
  const total = sumOf(all)
  const samples = tenants.map((tenant) =>
    sumOf(withoutWorst(all, tenant, (counts) => counts.offered - counts.succeeded)),
  )
  return [total, ...samples.filter(({ offered }) => offered * 2 >= total.offered)].some(
    ({ offered, succeeded }) => succeeded > 0 && succeeded * 100 >= successPercent * offered,
  )
}

/**
 * @param isDue whether the stage has lasted long enough
 * @param members how many devices the stage is meant for, whether they are connected or not; without those of held organizations
 */
export function verdictOf(all: readonly OrgCounts[], given: Thresholds, isDue: boolean, members: number): Verdict {
  if (failsWidely(all, given)) {
    const { failed, offered } = sumOf(all)
    return { next: 'halt', reason: `${failed} of ${offered} devices failed to update` }
  }
  const held = heldOrgs(all, given)
  const counted = all.filter(({ orgId }) => !held.includes(orgId))
  // A stage in which nobody is connected proves nothing; one that is meant for nobody has nothing to prove.
  if (!isDue || !(isProved(counted, given) || members === 0)) return { next: 'wait' }
  if (given.stage < given.stages.length) return { next: 'advance' }
  return { next: sumOf(counted).succeeded >= members ? 'complete' : 'wait' }
}
