import type { CustomField } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { useSearch } from '@tanstack/react-router'
import { ListPlus, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { ListTable } from '../../../ui/ListPage.tsx'
import { NoRows } from '../../../ui/NoRows.tsx'
import { Page } from '../../../ui/Page.tsx'
import { RowButton } from '../../../ui/RowButton.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { useList } from '../../../ui/useList.ts'
import { OrganizationLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { FieldForm, typeWords } from './FieldForm.tsx'
import { TagsTab } from './TagsTab.tsx'

const tabs = [
  { id: 'fields', label: 'Custom fields' },
  { id: 'tags', label: 'Tags' },
] as const

/** The custom fields and tags of devices. */
export function FieldsPage() {
  const { tab = 'fields' } = useSearch({ from: '/app/fields' })
  return (
    <Page fill title="Fields and tags" lead="Your own device data, for columns, filters and scripts.">
      <Tabs label="Sections of fields and tags" tabs={tabs} open={tab} />
      {tab === 'fields' ? <CustomFields /> : <TagsTab />}
    </Page>
  )
}

function CustomFields() {
  const { org } = usePlace()
  const [open, setOpen] = useState<CustomField | 'new' | null>(null)
  const [deleting, setDeleting] = useState<CustomField | null>(null)
  const refresh = useRefresh()
  const blocked = !useCan()('settings:write') && 'You don’t have permission to edit settings'
  const list = useList((client) => client.customFields.customFields.list, org ? { orgId: org } : {})
  const add = (
    <Button kind="primary" blocked={blocked} onClick={() => setOpen('new')}>
      <Plus aria-hidden className="size-4" />
      New field
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex justify-end">{add}</div>
      <ListTable
        label="Custom fields"
        list={list}
        columns={fieldColumns(setOpen, setDeleting, blocked)}
        rowId={({ id }) => id}
        empty={
          <NoRows icon={ListPlus} title="No custom fields yet" action={add}>
            Create a field for your own device data, such as a room or an inventory number. Set its values on the page
            of a device, or by script.
          </NoRows>
        }
      />
      {open && <FieldForm {...(open !== 'new' && { field: open })} close={() => setOpen(null)} />}
      {deleting && (
        <Confirm
          open
          danger
          close={() => setDeleting(null)}
          title={`Delete ${deleting.label}?`}
          verb="Delete field"
          type={deleting.key}
          act={async () => {
            await api.customFields.customFields.remove.mutate({ id: deleting.id })
            toast(`${deleting.label} deleted`)
            await refresh('customFields', 'devices')
          }}
        >
          The values of all devices are deleted. Filters and groups that use the field stop working. You cannot undo
          this.
        </Confirm>
      )}
    </>
  )
}

const fieldColumns = (
  open: (field: CustomField) => void,
  remove: (field: CustomField) => void,
  blocked: string | false,
): readonly Column<CustomField>[] => [
  {
    id: 'label',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: (field) => <RowButton open={() => open(field)}>{field.label}</RowButton>,
  },
  { id: 'key', header: 'Key', width: 130, cell: ({ key }) => <code>{key}</code> },
  { id: 'type', header: 'Type', width: 110, cell: ({ type }) => typeWords[type] },
  {
    id: 'org',
    header: 'Applies to',
    width: 150,
    grow: 1,
    cell: ({ orgId }) => (orgId === null ? 'All organizations' : <OrganizationLink orgId={orgId} />),
  },
  { id: 'required', header: 'Required', width: 90, cell: ({ required }) => (required ? 'Yes' : 'No') },
  {
    id: 'scripts',
    header: 'Set by scripts',
    width: 110,
    cell: ({ scriptWritable }) => (scriptWritable ? 'Yes' : 'No'),
  },
  {
    id: 'description',
    header: 'Description',
    width: 140,
    grow: 2,
    cell: ({ description }) => <span className="text-muted">{description ?? ''}</span>,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 90,
    cell: (field) => (
      <Button small kind="quiet" blocked={blocked} aria-label={`Delete ${field.label}`} onClick={() => remove(field)}>
        Delete
      </Button>
    ),
  },
]
