import { useFullList } from '../../../../queries.ts'
import { CheckList } from '../../../../ui/form/CheckList.tsx'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { DraftList } from '../../../../ui/form/DraftList.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import type { Fields } from '../../../fleet/filters/draft.ts'
import { FilterBuilder } from '../../../fleet/filters/FilterBuilder.tsx'
import { type BatchDraft, newBatch } from './deploymentDraft.ts'
import { faultOfBatch } from './numbers.ts'

const kinds = [
  ['percent', 'Percent of the devices'],
  ['count', 'Number of devices'],
  ['groupIds', 'Groups'],
  ['filter', 'Filter'],
] as const
const batchesMax = 20

interface Props {
  readonly orgId: string | null
  readonly fields: Fields
  readonly drafts: readonly BatchDraft[]
  change(drafts: readonly BatchDraft[]): void
}

/** The batches in their order. Percent and numbers are totals together with the batches before. */
export function BatchFields({ orgId, fields, drafts, change }: Props) {
  const groups = useFullList((api) => api.groups.groups.list, orgId === null ? {} : { orgId }, { staleMs: 60_000 })
  const choices = (groups.data ?? []).map(({ id, name }) => ({ id, label: name }))
  return (
    <DraftList
      noun="batch"
      isOrdered
      drafts={drafts}
      full={drafts.length >= batchesMax && `There are at most ${batchesMax} batches`}
      make={newBatch}
      change={change}
    >
      {(draft, replace) => (
        <>
          <div className="grid items-start gap-3 sm:grid-cols-2">
            <ChoiceField
              label="Devices of the batch"
              value={draft.kind}
              options={kinds}
              choose={(kind) => replace({ ...draft, kind })}
            />
            {(draft.kind === 'percent' || draft.kind === 'count') && (
              <TextField
                label={draft.kind === 'percent' ? 'Percent' : 'Number'}
                hint="Together with the batches before"
                inputMode="numeric"
                error={faultOfBatch(draft)}
                value={draft.number}
                onChange={({ target }) => replace({ ...draft, number: target.value })}
              />
            )}
          </div>
          {draft.kind === 'groupIds' && (
            <CheckList
              label="Groups"
              choices={choices}
              chosen={draft.groupIds}
              change={(groupIds) => replace({ ...draft, groupIds })}
            />
          )}
          {draft.kind === 'filter' && (
            <FilterBuilder draft={draft.filter} fields={fields} change={(filter) => replace({ ...draft, filter })} />
          )}
        </>
      )}
    </DraftList>
  )
}
