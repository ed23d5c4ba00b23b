import { gatesMax } from '@muster/areas/change/deployments/gates/gate.contract.ts'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { DraftList } from '../../../../ui/form/DraftList.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import type { Fields } from '../../../fleet/filters/draft.ts'
import { FilterBuilder } from '../../../fleet/filters/FilterBuilder.tsx'
import { SeverityField } from '../../../watch/alerts/SeverityField.tsx'
import { gateTypes, metricFields } from '../gateWords.ts'
import { type GateDraft, newGate, usualNumbers } from './deploymentDraft.ts'
import { faultOfGate } from './numbers.ts'

const numberLabels = {
  online: 'Percent online',
  filter: 'Percent that match',
  alerts: 'Alerts at most',
  metric: 'Worse by at most percent',
} as const

interface Props {
  readonly fields: Fields
  readonly drafts: readonly GateDraft[]
  change(drafts: readonly GateDraft[]): void
}

/** What must hold after each batch before the next one begins. */
export const GateFields = ({ fields, drafts, change }: Props) => (
  <DraftList
    noun="gate"
    drafts={drafts}
    full={drafts.length >= gatesMax && `There are at most ${gatesMax} gates`}
    make={newGate}
    change={change}
  >
    {(draft, replace) => (
      <>
        <div className="grid items-start gap-3 sm:grid-cols-3">
          <ChoiceField
            label="Condition"
            value={draft.type}
            options={gateTypes}
            choose={(type) => replace({ ...draft, type, number: usualNumbers[type] })}
          />
          {draft.type === 'alerts' && (
            <SeverityField value={draft.severity} choose={(severity) => replace({ ...draft, severity })} />
          )}
          {draft.type === 'metric' && (
            <ChoiceField
              label="Metric"
              value={draft.field}
              options={metricFields}
              choose={(field) => replace({ ...draft, field })}
            />
          )}
          {draft.type !== 'person' && (
            <TextField
              label={numberLabels[draft.type]}
              inputMode="numeric"
              error={faultOfGate(draft)}
              value={draft.number}
              onChange={({ target }) => replace({ ...draft, number: target.value })}
            />
          )}
        </div>
        {draft.type === 'filter' && (
          <FilterBuilder draft={draft.filter} fields={fields} change={(filter) => replace({ ...draft, filter })} />
        )}
      </>
    )}
  </DraftList>
)
