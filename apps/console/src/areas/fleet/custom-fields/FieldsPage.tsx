import type { CustomField } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ListPlus, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiQuery, useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { RowButton } from '../../../ui/RowButton.tsx'
import { Note } from '../../../ui/states.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { usePlaceNames } from '../devices/columns.tsx'
import { FieldForm, typeWords } from './FieldForm.tsx'
import { TagsTab } from './TagsTab.tsx'

const limit = 50
const tabs = [
  ['fields', 'Own fields'],
  ['tags', 'Tags'],
] as const

/** What a tenant says of its devices beyond what they say themselves. */
export function FieldsPage() {
  const { tab = 'fields' } = useSearch({ from: '/app/fields' })
  const navigate = useNavigate({ from: '/fields' })
  return (
    <Page
      fill
      title="Fields and tags"
      lead="What you say of devices yourself: columns, filters and scripts know it too."
    >
      <Tabs
        label="Parts of fields and tags"
        tabs={tabs}
        open={tab}
        choose={(next) => void navigate({ search: ({ org, site }) => ({ org, site, tab: next }) })}
      />
      {tab === 'fields' ? <OwnFields /> : <TagsTab />}
    </Page>
  )
}

function OwnFields() {
  const { page = 1 } = useSearch({ from: '/app/fields' })
  const navigate = useNavigate({ from: '/fields' })
  const { org } = usePlace()
  const [open, setOpen] = useState<CustomField | 'new' | null>(null)
  const [leaving, setLeaving] = useState<CustomField | null>(null)
  const refresh = useRefresh()
  const blocked = !useCan()('settings:write') && 'You need the permission to change settings'
  const answer = useApiQuery(
    (client) => client.customFields.customFields.list,
    { page, limit, ...(org && { orgId: org }) },
    { keepLast: true },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const add = (
    <Button kind="primary" blocked={blocked} onClick={() => setOpen('new')}>
      <Plus aria-hidden className="size-4" />
      New field
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex justify-end">{add}</div>
      <DataTable
        label="Own fields"
        rows={rows}
        columns={useFieldColumns(setOpen, setLeaving, blocked)}
        answer={answer}
        total={pagination.total}
        rowId={({ id }) => id}
        empty={
          <Note icon={ListPlus} title="No own fields yet" action={add}>
            Define what you want to know of each device, such as a room or an inventory number. Values are set on the
            device’s page, or by scripts.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {open && <FieldForm {...(open !== 'new' && { field: open })} close={() => setOpen(null)} />}
      {leaving && (
        <Confirm
          open
          danger
          close={() => setLeaving(null)}
          title={`Delete ${leaving.label}?`}
          verb="Delete"
          type={leaving.key}
          act={async () => {
            await api.customFields.customFields.remove.mutate({ id: leaving.id })
            toast(`${leaving.label} is deleted`)
            await refresh('customFields', 'devices')
          }}
        >
          Its value goes from every device. Filters and groups that ask for it no longer work. This cannot be taken
          back.
        </Confirm>
      )}
    </>
  )
}

function useFieldColumns(
  open: (field: CustomField) => void,
  leave: (field: CustomField) => void,
  blocked: string | false,
): readonly Column<CustomField>[] {
  const { orgs } = usePlaceNames()
  return [
    {
      id: 'label',
      header: 'Name',
      width: 180,
      grow: 2,
      cell: (field) => <RowButton open={() => open(field)}>{field.label}</RowButton>,
    },
    { id: 'key', header: 'Key', width: 150, cell: ({ key }) => <code>{key}</code> },
    { id: 'type', header: 'Kind', width: 110, cell: ({ type }) => typeWords[type] },
    {
      id: 'org',
      header: 'For',
      width: 160,
      grow: 1,
      cell: ({ orgId }) => (orgId === null ? 'All organisations' : (orgs.get(orgId) ?? '–')),
    },
    { id: 'required', header: 'Required', width: 90, cell: ({ required }) => (required ? 'yes' : 'no') },
    {
      id: 'scripts',
      header: 'Set by scripts',
      width: 110,
      cell: ({ scriptWritable }) => (scriptWritable ? 'yes' : 'no'),
    },
    {
      id: 'about',
      header: 'Description',
      width: 160,
      grow: 2,
      cell: ({ description }) => <span className="text-muted">{description ?? ''}</span>,
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 90,
      cell: (field) => (
        <Button small kind="quiet" blocked={blocked} onClick={() => leave(field)}>
          Delete
        </Button>
      ),
    },
  ]
}
