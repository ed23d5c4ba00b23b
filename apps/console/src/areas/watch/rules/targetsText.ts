import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { many } from '../../../ui/text/quantity.ts'

type Targets = AlertRule['targets']

function placesText({ orgIds, siteIds, groupIds, tags, deviceIds }: Targets): string[] {
  const counted = (ids: readonly string[] | undefined, one: string) => (ids?.length ? [many(ids.length, one)] : [])
  return [
    ...counted(orgIds, 'organization'),
    ...counted(siteIds, 'site'),
    ...counted(groupIds, 'group'),
    ...(tags?.length ? [`${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`] : []),
    ...counted(deviceIds, 'device'),
  ]
}

/** Targets in one line. */
export function targetsText({ targets, exclude }: Pick<AlertRule, 'targets' | 'exclude'>): string {
  const places = placesText(targets)
  const without = placesText(exclude)
  return [
    places.length === 0 ? 'All devices' : places.join(', '),
    ...(targets.filter ? ['that match a filter'] : []),
    ...(without.length > 0 ? [`except ${without.join(', ')}`] : []),
  ].join(' ')
}
