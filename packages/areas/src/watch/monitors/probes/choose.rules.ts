// Which devices check a monitor. Pure.

export interface Candidate {
  readonly id: string
  readonly siteId: string | null
  /** How many monitors it checks. */
  load: number
}

interface Wanting {
  readonly siteId: string | null
  /** How many probes it wants. */
  readonly wanted: number
  /** Its probes that can check now. */
  readonly current: readonly string[]
  /** Devices that cannot do this check. */
  readonly unable: readonly string[]
}

/** Keeps the probes at the site, and fills up with the least busy devices: those of the site first, then any of the organization. */
export function chooseProbes({ siteId, wanted, current, unable }: Wanting, candidates: readonly Candidate[]): string[] {
  const isNear = (candidate: Candidate) => siteId === null || candidate.siteId === siteId
  const able = candidates.filter(({ id }) => !unable.includes(id))
  const order = [...able].sort(
    (a, b) =>
      Number(isNear(b)) - Number(isNear(a)) ||
      Number(current.includes(b.id)) - Number(current.includes(a.id)) ||
      a.load - b.load ||
      a.id.localeCompare(b.id),
  )
  const chosen = order.slice(0, wanted)
  for (const candidate of chosen) if (!current.includes(candidate.id)) candidate.load++
  return chosen.map(({ id }) => id)
}
