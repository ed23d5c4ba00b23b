import { CheckList } from '../../../../ui/form/CheckList.tsx'
import { faultAt, type Issue } from '../../../../ui/form/faults.ts'
import { CheckField } from '../../../../ui/form/fields.tsx'
import { FilterBuilder } from '../../../fleet/filters/FilterBuilder.tsx'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { PlacePicker } from '../../../fleet/targets/PlacePicker.tsx'
import { systems } from '../../scripts/words.tsx'
import { placeKindsOfPolicies } from './places.ts'
import { oneCondition, type PolicyDraft } from './policyDraft.ts'

interface Props {
  readonly orgId: string | null
  readonly draft: PolicyDraft
  readonly issues: readonly Issue[]
  set(part: Partial<PolicyDraft>): void
}

const placeholder = 'Add a place, group or device'

/** The devices that a policy concerns. */
export function DeviceFields({ orgId, draft, issues, set }: Props) {
  const fields = useFields(orgId ?? undefined)
  const { everywhere, places, exclude, osTypes, filter } = draft
  const filterFault = faultAt(issues, 'filter')
  return (
    <>
      {orgId === null && (
        <CheckField
          label="Assign to all organizations"
          checked={everywhere}
          onChange={(next) => set({ everywhere: next })}
        />
      )}
      <PlacePicker
        label="Assigned to"
        none={everywhere ? 'All devices' : 'No device. The policy has no effect yet.'}
        placeholder={placeholder}
        kinds={placeKindsOfPolicies}
        orgId={orgId}
        named={places}
        error={faultAt(issues, 'assignments')}
        change={(next) => set({ places: next })}
      />
      <PlacePicker
        label="Exclusions"
        none="None"
        placeholder={placeholder}
        kinds={placeKindsOfPolicies}
        orgId={orgId}
        named={exclude}
        error={faultAt(issues, 'exclude')}
        change={(next) => set({ exclude: next })}
      />
      <CheckList
        label="Systems"
        hint="None stands for any"
        choices={systems.map(([id, label]) => ({ id, label }))}
        chosen={osTypes}
        change={(chosen) => set({ osTypes: systems.map(([id]) => id).filter((id) => chosen.includes(id)) })}
      />
      <CheckField
        label="Only devices that match a filter"
        checked={filter !== null}
        onChange={(on) => set({ filter: on ? oneCondition() : null })}
      />
      {filter && <FilterBuilder draft={filter} fields={fields} change={(next) => set({ filter: next })} />}
      {filterFault !== undefined && <p className="text-bad-text text-xs">{filterFault}</p>}
    </>
  )
}
