import type { Match } from '@muster/areas/watch/policies/policies.contract.ts'
import { X } from 'lucide-react'
import { useFullList } from '../../../queries.ts'
import { IconButton } from '../../../ui/button/Button.tsx'
import { CheckList } from '../../../ui/form/CheckList.tsx'
import { SelectField, TextField } from '../../../ui/form/fields.tsx'
import { GroupedCheckList } from '../../../ui/form/GroupedCheckList.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { severities, sourceOptions } from '../alerts/words.ts'

const kinds = [
  ['severities', 'Severities'],
  ['orgIds', 'Organizations'],
  ['siteIds', 'Sites'],
  ['groupIds', 'Groups'],
  ['ruleIds', 'Rules'],
  ['tags', 'Tags'],
  ['sources', 'Sources'],
  ['hours', 'Time of day'],
] as const
type Kind = (typeof kinds)[number][0]

interface Props {
  /** The organization of the policy; null for the whole partner. */
  readonly orgId: string | null
  readonly match: Match
  change(match: Match): void
}

/** Which alerts a policy matches. All conditions have to hold. */
export function MatchFields({ orgId, match, change }: Props) {
  const shown = kinds.filter(([kind]) => match[kind] !== undefined)
  const others = kinds.filter(([kind]) => match[kind] === undefined && !(kind === 'orgIds' && orgId !== null))
  const without = (kind: Kind) => change({ ...match, [kind]: undefined })
  return (
    <>
      {shown.length === 0 && <p className="text-muted text-sm">Matches all alerts.</p>}
      {shown.map(([kind, label]) => (
        <div key={kind} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <KindField kind={kind} label={label} orgId={orgId} match={match} change={change} />
          </div>
          <IconButton small label={`Remove ${label.toLowerCase()}`} onClick={() => without(kind)}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
      {others.length > 0 && (
        <Select
          label="Add a condition"
          none="Add a condition"
          value=""
          className="w-full sm:w-64"
          options={others}
          choose={(kind) => kind && change({ ...match, [kind]: kind === 'hours' ? 'business' : [] })}
        />
      )}
    </>
  )
}

interface KindProps extends Props {
  readonly kind: Kind
  readonly label: string
}
const severityChoices = severities.map(([id, label]) => ({ id, label }))
const sourceChoices = sourceOptions.map(([id, label]) => ({ id, label }))

function KindField({ kind, label, orgId, match, change }: KindProps) {
  switch (kind) {
    case 'severities': {
      const set = (chosen: string[]) =>
        change({ ...match, severities: severities.map(([id]) => id).filter((id) => chosen.includes(id)) })
      return <CheckList label={label} choices={severityChoices} chosen={match.severities ?? []} change={set} />
    }
    case 'sources': {
      const set = (chosen: string[]) =>
        change({ ...match, sources: sourceOptions.map(([id]) => id).filter((id) => chosen.includes(id)) })
      return <CheckList label={label} choices={sourceChoices} chosen={match.sources ?? []} change={set} />
    }
    case 'hours':
      return (
        <SelectField
          label={label}
          hint="Business hours are in the settings of your company."
          value={match.hours}
          onChange={({ target }) => change({ ...match, hours: target.value === 'after' ? 'after' : 'business' })}
        >
          <option value="business">During business hours</option>
          <option value="after">Outside business hours</option>
        </SelectField>
      )
    case 'tags':
      return (
        <TextField
          label={label}
          hint="Separate with commas. Devices with any of them match."
          defaultValue={(match.tags ?? []).join(', ')}
          onChange={({ target }) =>
            change({
              ...match,
              tags: target.value.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()])),
            })
          }
        />
      )
    default:
      return (
        <ThingChoice
          kind={kind}
          label={label}
          orgId={orgId}
          chosen={match[kind] ?? []}
          change={(ids) => change({ ...match, [kind]: ids })}
        />
      )
  }
}

interface ThingProps {
  readonly kind: 'orgIds' | 'siteIds' | 'groupIds' | 'ruleIds'
  readonly label: string
  readonly orgId: string | null
  readonly chosen: readonly string[]
  change(ids: string[]): void
}

/** Several things by their names, in groups by organization. */
function ThingChoice({ kind, label, orgId, chosen, change }: ThingProps) {
  const { orgs } = usePlaceNames()
  const place = orgId === null ? {} : { orgId }
  const sites = useFullList((api) => api.tenancy.sites.list, place, { enabled: kind === 'siteIds' }).data
  const groups = useFullList((api) => api.groups.groups.list, place, { enabled: kind === 'groupIds' }).data
  const rules = useFullList((api) => api.alerts.rules.list, place, { enabled: kind === 'ruleIds' }).data
  const organizations = [...orgs].map(([id, name]) => ({ id, name, orgId: null }))
  const found = { orgIds: organizations, siteIds: sites, groupIds: groups, ruleIds: rules }[kind] ?? []
  const choices = found.map((each) => ({
    id: each.id,
    group: orgs.get(each.orgId ?? '') ?? 'All organizations',
    label: each.name,
    hint: '',
  }))
  return <GroupedCheckList label={label} choices={choices} chosen={chosen} change={change} />
}
