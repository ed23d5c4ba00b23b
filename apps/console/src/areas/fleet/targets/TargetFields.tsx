import { CheckField } from '../../../ui/form/fields.tsx'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { emptyGroup, newRule } from '../filters/draft.ts'
import { FilterBuilder } from '../filters/FilterBuilder.tsx'
import { useFields } from '../filters/useFields.ts'
import { PlacePicker } from './PlacePicker.tsx'
import type { TargetDraft } from './targetDraft.ts'

interface Props {
  /** The organization whose devices can be chosen; null for the whole partner. */
  readonly orgId: string | null
  readonly value: TargetDraft
  change(value: TargetDraft): void
}

/** The devices that something concerns: named ones, restricted by a filter, without exclusions. */
export function TargetFields({ orgId, value, change }: Props) {
  const fields = useFields(orgId ?? undefined)
  const { orgs } = usePlaceNames()
  const all = orgId === null ? 'All devices' : `All devices of ${orgs.get(orgId) ?? 'the organization'}`
  return (
    <div className="grid gap-4">
      <PlacePicker
        label="Devices"
        none={all}
        orgId={orgId}
        named={value.targets}
        change={(targets) => change({ ...value, targets })}
      />
      <CheckField
        label="Only devices that match a filter"
        checked={value.filter !== null}
        onChange={(on) => change({ ...value, filter: on ? { ...emptyGroup(), parts: [newRule()] } : null })}
      />
      {value.filter && (
        <FilterBuilder draft={value.filter} fields={fields} change={(filter) => change({ ...value, filter })} />
      )}
      <PlacePicker
        label="Exclusions"
        none="None"
        orgId={orgId}
        named={value.exclude}
        change={(exclude) => change({ ...value, exclude })}
      />
    </div>
  )
}
