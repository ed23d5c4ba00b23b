// Assignments of policies as places that are picked by name.
import type { Assignment } from '@muster/areas/change/device-policies/policies.contract.ts'
import type { Level } from '@muster/areas/change/device-policies/resolve/levels.contract.ts'
import type { Named, PlaceKind } from '../../../fleet/targets/targetDraft.ts'

/** The kind of place of each level. The partner is no place that is picked. */
export const kindOfLevel = {
  device: 'deviceIds',
  group: 'groupIds',
  site: 'siteIds',
  organization: 'orgIds',
} as const satisfies Record<Exclude<Level, 'partner'>, PlaceKind>

const levels = ['organization', 'site', 'group', 'device'] as const
export const placeKindsOfPolicies: readonly PlaceKind[] = levels.map((level) => kindOfLevel[level])

export function namedOf(assignments: readonly Assignment[]): Named {
  const of = (level: Level) => assignments.flatMap((each) => (each.level === level ? [each.id] : []))
  return {
    ...{ orgIds: of('organization'), siteIds: of('site'), groupIds: of('group'), deviceIds: of('device') },
    tags: [],
  }
}

export const assignmentsOf = (named: Named): Assignment[] =>
  levels.flatMap((level) => named[kindOfLevel[level]].map((id) => ({ level, id })))
