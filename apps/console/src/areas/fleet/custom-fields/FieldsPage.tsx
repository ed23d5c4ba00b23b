import type { CustomField } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { useSearch } from '@tanstack/react-router'
import { ListPlus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { NewButton } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
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
    <NewButton blocked={blocked} act={() => setOpen('new')}>
      New field
    </NewButton>
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
    cell: ({ orgId }) => <OrganizationLink orgId={orgId} />,
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
