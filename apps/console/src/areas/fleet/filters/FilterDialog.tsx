import { type Filter, FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useFullList } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { CheckField, TextField } from '../../../ui/form/fields.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { nameIn, usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { draftOf, filterOf, isSound } from './draft.ts'
import { FilterBuilder } from './FilterBuilder.tsx'
import { Preview } from './Preview.tsx'
import { useFields } from './useFields.ts'

interface Props {
  readonly filter: Filter | undefined
  apply(filter: Filter | undefined): void
  close(): void
}

/** Builds a filter for a list, loads a saved one or saves it. */
export function FilterDialog({ filter, apply, close }: Props) {
  const { org, site } = usePlace()
  const fields = useFields(org)
  const [draft, setDraft] = useState(() => draftOf(filter))
  const [isSaving, setSaving] = useState(false)
  const saved = useFullList((client) => client.filters.filters.list, { hasView: false }).data ?? []
  const { orgs } = usePlaceNames()
  const whole = isSound(draft, fields) ? filterOf(draft) : undefined
  const isEmpty = draft.parts.length === 0
  return (
    <Dialog
      open
      wide
      title="Filter devices"
      close={close}
      actions={
        <>
          <Button blocked={whole === undefined && 'Complete the conditions first'} onClick={() => setSaving(!isSaving)}>
            Save filter as
          </Button>
          <span className="flex-1" />
          <Button onClick={close}>Cancel</Button>
          <Button
            kind="primary"
            blocked={whole === undefined && !isEmpty && 'Complete the conditions first'}
            onClick={() => {
              apply(whole)
              close()
            }}
          >
            {isEmpty ? 'Show all' : 'Apply'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {saved.length > 0 && (
          <Select
            label="Saved filters"
            none="Load a saved filter"
            value=""
            className="w-full"
            options={saved.map((each) => [each.id, nameIn(orgs, each)])}
            choose={(id) => {
              const found = saved.find((each) => each.id === id)
              if (found) setDraft(draftOf(FilterExpression.safeParse(found.filter).data))
            }}
          />
        )}
        <FilterBuilder draft={draft} fields={fields} change={setDraft} />
        {!isEmpty && <Preview filter={whole} orgId={org} siteId={site} />}
        {isSaving && whole && <SaveFilter filter={whole} done={() => setSaving(false)} />}
      </div>
    </Dialog>
  )
}

function SaveFilter({ filter, done }: { readonly filter: Filter; done(): void }) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const save = useApiMutation(() => api.filters.filters.create.mutate({ name: name.trim(), filter, shared }), {
    refresh: ['filters'],
    done: () => {
      toast('Filter saved')
      done()
    },
  })
  return (
    <Form submit={() => save.mutate(undefined)} className="grid gap-3 rounded-lg border border-line p-3">
      <TextField label="Filter name" autoFocus value={name} onChange={({ target }) => setName(target.value)} />
      <div className="flex items-center justify-between gap-3">
        <CheckField label="Share with this organization" checked={shared} onChange={setShared} />
        <Button small type="submit" blocked={name.trim() === '' && 'Enter a name first'} busy={save.isPending}>
          Save filter
        </Button>
      </div>
      <Refusal error={save.error} />
    </Form>
  )
}
