// Which alerts belong together, and which came first. Pure functions over alerts of one partner.
import { createHash } from 'node:crypto'
import type { Correlation, CorrelationGroup } from './correlations.contract.ts'

/** Something that changed on a device within the hour before its alert. */
export interface Change {
  /** The same for the same change of another device. */
  readonly key: string
  readonly name: string
  /** How many times as often devices with alerts have it as all devices. */
  readonly lift: number
}

export interface Correlated {
  readonly id: string
  readonly orgId: string
  readonly siteId: string | null
  readonly deviceId: string | null
  readonly hostname: string | null
  readonly siteName: string | null
  readonly openedMs: number
  readonly isOpen: boolean
  readonly isSiteDown: boolean
  /** The public address or network that the device connects from. */
  readonly address: string | null
  readonly changes: readonly Change[]
}

/** From this confidence on, alerts are in one group. */
export const groupedFrom = 0.5
const closeSeconds = 60

interface Clue {
  readonly weight: number
  readonly sentence: string
}

function cluesOf(cause: Correlated, effect: Correlated): Clue[] {
  const clues: Clue[] = []
  const seconds = Math.round((effect.openedMs - cause.openedMs) / 1_000)
  const site = cause.siteName ?? 'the site'
  const isSameSite = cause.siteId !== null && cause.siteId === effect.siteId
  if (cause.isSiteDown && isSameSite && effect.deviceId !== null)
    clues.push({ weight: 0.8, sentence: `${site} was offline ${seconds} s before` })
  if (cause.deviceId !== null && cause.deviceId === effect.deviceId)
    clues.push({ weight: 0.5, sentence: `Both concern the device ${cause.hostname ?? cause.deviceId}` })
  if (isSameSite) clues.push({ weight: 0.3, sentence: `Both concern ${site}` })
  const isOther = cause.deviceId !== null && effect.deviceId !== null && cause.deviceId !== effect.deviceId
  if (isOther && cause.address !== null && cause.address === effect.address)
    clues.push({ weight: 0.4, sentence: `Both devices connect from ${cause.address}` })
  const change = isOther
    ? cause.changes.find(({ key }) => effect.changes.some((other) => other.key === key))
    : undefined
  if (change !== undefined)
    clues.push({
      weight: 0.6,
      sentence: `On both devices ${change.name} at most 60 minutes before, ${change.lift} times as often as on all devices`,
    })
  if (seconds <= closeSeconds) clues.push({ weight: 0.3, sentence: `They opened ${seconds} s apart` })
  return clues
}

const confidenceOf = (clues: readonly Clue[]): number =>
  Math.round((1 - clues.reduce((left, { weight }) => left * (1 - weight), 1)) * 1_000) / 1_000

/** An id that is the same each time. */
function idOf(...parts: readonly string[]): string {
  const hex = createHash('sha1').update(parts.join(' ')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Causes come before their effects; of alerts that opened together, a site is the cause. */
const inOrder = (a: Correlated, b: Correlated): number =>
  a.openedMs - b.openedMs || Number(b.isSiteDown) - Number(a.isSiteDown) || (a.id < b.id ? -1 : 1)

/** Pairs of alerts of one organization that opened within a window, the surest first. */
export function correlate(alerts: readonly Correlated[], windowMinutes: number, least = groupedFrom): Correlation[] {
  const ordered = [...alerts].sort(inOrder)
  const found: Correlation[] = []
  for (const [index, cause] of ordered.entries()) {
    for (let next = index + 1; next < ordered.length; next++) {
      const effect = ordered[next]
      if (effect === undefined || effect.openedMs - cause.openedMs > windowMinutes * 60_000) break
      if (effect.orgId !== cause.orgId) continue
      const clues = cluesOf(cause, effect)
      const confidence = confidenceOf(clues)
      if (clues.length === 0 || confidence < least) continue
      const evidence = clues.map(({ sentence }) => sentence)
      found.push({
        id: idOf(cause.id, effect.id),
        causeAlertId: cause.id,
        effectAlertId: effect.id,
        confidence,
        evidence,
      })
    }
  }
  return found.sort((a, b) => b.confidence - a.confidence || (a.id < b.id ? -1 : 1))
}

/** The connected alerts. The root of a group is its earliest cause, its confidence that of its weakest necessary link. */
export function groupsOf(alerts: readonly Correlated[], windowMinutes: number): CorrelationGroup[] {
  const links = correlate(alerts, windowMinutes)
  const parents = new Map(alerts.map(({ id }) => [id, id]))
  const rootOf = (id: string): string => {
    let at = id
    for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) {
      parents.set(at, parents.get(up) ?? up)
      at = up
    }
    return at
  }
  // Links come with falling confidence, so those that join two parts are the strongest that do.
  const joining: Correlation[] = []
  for (const link of links) {
    const [a, b] = [rootOf(link.causeAlertId), rootOf(link.effectAlertId)]
    if (a === b) continue
    parents.set(a, b)
    joining.push(link)
  }
  const linksOf = Map.groupBy(joining, ({ causeAlertId }) => rootOf(causeAlertId))
  const members = Map.groupBy([...alerts].sort(inOrder), ({ id }) => rootOf(id))
  return [...members].flatMap(([key, group]): CorrelationGroup[] => {
    const [root] = group
    const own = linksOf.get(key) ?? []
    if (root === undefined || own.length === 0) return []
    const evidence = [...new Set(own.flatMap((link) => link.evidence))].slice(0, 20)
    return [
      {
        id: idOf('group', root.id),
        rootAlertId: root.id,
        alertIds: group.map(({ id }) => id),
        orgId: root.orgId,
        status: group.some(({ isOpen }) => isOpen) ? 'open' : 'closed',
        confidence: Math.min(...own.map(({ confidence }) => confidence)),
        evidence: [`${group.length} alerts`, ...evidence],
      },
    ]
  })
}
