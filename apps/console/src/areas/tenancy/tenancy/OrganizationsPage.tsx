import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowDownUp, Building2, Plus } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { PartnerChoice } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/Button.tsx'
import { DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { count } from '../../../ui/quantity.ts'
import { SearchField } from '../../../ui/SearchField.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Note } from '../../../ui/states.tsx'
import { DeleteOrganization, StatusStep } from './ChangeStatus.tsx'
import { OrderDialog } from './OrderDialog.tsx'
import { EditOrganization, NewOrganization } from './OrganizationForm.tsx'
import { useOrganizationColumns } from './organizationColumns.tsx'
import { type OrganizationStatus, statusWords } from './status.tsx'

interface Search {
  readonly q?: string | undefined
  readonly status?: OrganizationStatus | undefined
  readonly form?: 'new' | 'order' | undefined
}
type Open =
  | { readonly what: 'edit' | 'delete'; readonly organization: Organization }
  | { readonly what: 'status'; readonly organization: Organization; readonly to: OrganizationStatus }

/** The customers and own departments of a partner, with how many devices each has and may have. */
export function OrganizationsPage() {
  const { q = '', status, form, partner } = useSearch({ from: '/app/organisations' })
  const navigate = useNavigate({ from: '/organisations' })
  const change = (next: Search) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const me = useMe()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const answer = useApiQuery((api) => api.tenancy.organizations.all, {})
  const all = (answer.data?.data ?? []).filter(({ partnerId }) => !partner || partnerId === partner)
  const wanted = q.toLowerCase()
  const rows = all.filter(
    (each) => (!status || each.status === status) && `${each.name} ${each.slug}`.toLowerCase().includes(wanted),
  )
  const mayWrite = useCan()('organizations:write') ? undefined : 'You need the permission to change organisations'
  const columns = useOrganizationColumns({
    edit: (organization) => setOpen({ what: 'edit', organization }),
    leave: (organization) => setOpen({ what: 'delete', organization }),
    set: (organization, to) => setOpen({ what: 'status', organization, to }),
  })
  const add = (
    <Button kind="primary" blocked={mayWrite} onClick={() => change({ form: 'new' })}>
      <Plus aria-hidden className="size-4" />
      New organisation
    </Button>
  )
  return (
    <Page
      fill
      title="Organisations"
      lead={`${answer.data ? `${count(all.length)} in all. ` : ''}Each has its own sites, devices and people.`}
      actions={
        <>
          {me.scope === 'partner' && (
            <Button
              blocked={mayWrite ?? (all.length < 2 && 'There are not two to put in order')}
              onClick={() => change({ form: 'order' })}
            >
              <ArrowDownUp aria-hidden className="size-4" />
              Order
            </Button>
          )}
          {add}
        </>
      }
    >
      <div className="mb-3 flex flex-wrap gap-2">
        <SearchField
          label="Search organisations"
          placeholder="Search"
          value={q}
          change={(text) => change({ q: text || undefined })}
        />
        <Select
          label="Status"
          none="Every status"
          value={status ?? ''}
          options={statusWords}
          choose={(next) => change({ status: next })}
        />
        <PartnerChoice />
      </div>
      <DataTable
        label="Organisations"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={rows.length}
        empty={<None isNarrowed={all.length > 0} clear={() => change({ q: undefined, status: undefined })} add={add} />}
      />
      {form === 'new' && <NewOrganization partnerId={partner} close={() => change({ form: undefined })} />}
      {form === 'order' && answer.data && <OrderDialog organizations={all} close={() => change({ form: undefined })} />}
      {open?.what === 'edit' && <EditOrganization organization={open.organization} close={close} />}
      {open?.what === 'status' && <StatusStep organization={open.organization} to={open.to} close={close} />}
      {open?.what === 'delete' && <DeleteOrganization organization={open.organization} close={close} />}
    </Page>
  )
}

interface NoneProps {
  readonly isNarrowed: boolean
  readonly add: React.ReactNode
  clear(): void
}
const None = ({ isNarrowed, add, clear }: NoneProps) =>
  isNarrowed ? (
    <Note
      icon={Building2}
      title="No organisation matches"
      action={<Button onClick={clear}>Clear search and filters</Button>}
    />
  ) : (
    <Note icon={Building2} title="No organisations yet" action={add}>
      Devices belong to an organisation: make one for your first customer, or for your own company.
    </Note>
  )
