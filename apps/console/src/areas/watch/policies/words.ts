import type { AlertPolicy, Match, Step } from '@muster/areas/watch/policies/policies.contract.ts'
import { many } from '../../../ui/text/quantity.ts'
import { severityText, sourceText } from '../alerts/words.ts'
import type { Recipients } from './useRecipients.ts'

export const groupByOptions = [
  ['organization', 'Organization'],
  ['site', 'Site'],
  ['rule', 'Rule'],
  ['device', 'Device'],
  ['severity', 'Severity'],
] as const

/** What a policy matches, in words. */
export function matchText(match: Match): string {
  const { severities, orgIds, siteIds, groupIds, ruleIds, tags, sources, hours } = match
  const counted = (ids: readonly string[] | undefined, one: string) => (ids ? [many(ids.length, one)] : [])
  const parts = [
    ...(severities ? [severities.map(severityText).join(', ')] : []),
    ...counted(orgIds, 'organization'),
    ...counted(siteIds, 'site'),
    ...counted(groupIds, 'group'),
    ...counted(ruleIds, 'rule'),
    ...(tags ? [`tags ${tags.join(', ')}`] : []),
    ...(sources ? [`from ${sources.map(sourceText).join(', ')}`] : []),
    ...(hours ? [hours === 'business' ? 'business hours' : 'outside business hours'] : []),
  ]
  return parts.length === 0 ? 'All alerts' : parts.join(' · ')
}

/** The names of those whom a step tells. */
export function toldBy({ channelIds, userIds, roleIds }: Step, { channels, users, roles }: Recipients): string {
  const names = (ids: readonly string[], of: readonly { id: string; name: string }[], one: string) => {
    const known = ids.flatMap((id) => of.find((each) => each.id === id)?.name ?? [])
    const hidden = ids.length - known.length
    return [...known, ...(hidden > 0 ? [many(hidden, `other ${one}`)] : [])]
  }
  const all = [
    ...names(channelIds, channels, 'channel'),
    ...names(userIds, users, 'user'),
    ...names(
      roleIds,
      roles.map(({ id, name, people }) => ({ id, name: `role ${name} (${people.join(', ') || 'no users'})` })),
      'role',
    ),
  ]
  return all.length === 0 ? 'no recipients' : all.join(', ')
}

/** When a step is taken, counted from the first message. */
export const stepTime = ({ afterMinutes }: Step): string =>
  afterMinutes === 0 ? 'At once' : `After ${many(afterMinutes, 'minute')}`

/** The steps of a policy in words. */
export const stepsText = ({ steps, loops }: Pick<AlertPolicy, 'steps' | 'loops'>): string =>
  steps.length === 0
    ? 'No steps'
    : `${many(steps.length, 'step')}${loops > 0 ? `, repeated ${many(loops, 'time')}` : ''}`
