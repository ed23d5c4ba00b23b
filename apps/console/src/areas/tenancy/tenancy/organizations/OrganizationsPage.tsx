import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowDownUp, Building2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiQuery } from '../../../../queries.ts'
import { useCan, useMe } from '../../../../session/session.tsx'
import { PartnerChoice } from '../../../../shell/tenant.tsx'
import { Button } from '../../../../ui/button/Button.tsx'
import { SearchField } from '../../../../ui/form/SearchField.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { ListPage } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { NewButton } from '../../../../ui/list/newForm.tsx'
import { wholeList } from '../../../../ui/list/useList.ts'
import { many } from '../../../../ui/text/quantity.ts'
import { DeleteTenant } from '../DeleteTenant.tsx'
import { StatusDialog } from '../StatusDialog.tsx'
import { type OrganizationStatus, statusWords, steps } from '../status.tsx'
import { OrderDialog } from './OrderDialog.tsx'
import { EditOrganization, NewOrganization } from './OrganizationForm.tsx'
import { useOrganizationColumns } from './organizationColumns.tsx'

interface Search {
  readonly q?: string | undefined
  readonly status?: OrganizationStatus | undefined
  readonly form?: 'new' | 'order' | undefined
}
type Open =
  | { readonly what: 'edit' | 'delete'; readonly organization: Organization }
  | { readonly what: 'status'; readonly organization: Organization; readonly to: OrganizationStatus }

/** The customers and departments of a partner, with their device counts and limits. */
export function OrganizationsPage() {
  const { q = '', status, form, partner } = useSearch({ from: '/app/organizations' })
  const navigate = useNavigate({ from: '/organizations' })
  const change = (next: Search) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const me = useMe()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const answer = useApiQuery((client) => client.tenancy.organizations.all, {})
  const all = (answer.data?.data ?? []).filter(({ partnerId }) => !partner || partnerId === partner)
  const wanted = q.toLowerCase()
  const rows = all.filter(
    (each) => (!status || each.status === status) && `${each.name} ${each.slug}`.toLowerCase().includes(wanted),
  )
  const mayWrite = useCan()('organizations:write') ? undefined : 'You don’t have permission to edit organizations'
  const columns = useOrganizationColumns({
    edit: (organization) => setOpen({ what: 'edit', organization }),
    remove: (organization) => setOpen({ what: 'delete', organization }),
    set: (organization, to) => setOpen({ what: 'status', organization, to }),
  })
  const add = (
    <NewButton blocked={mayWrite} act={() => change({ form: 'new' })}>
      New organization
    </NewButton>
  )
  return (
    <ListPage
      title="Organizations"
      lead={`${answer.data ? `${many(all.length, 'organization')}. ` : ''}Each has its own sites, devices and users.`}
      actions={
        <>
          {me.scope === 'partner' && (
            <Button
              blocked={mayWrite ?? (all.length < 2 && 'There are fewer than 2 organizations')}
              onClick={() => change({ form: 'order' })}
            >
              <ArrowDownUp aria-hidden className="size-4" />
              Sort organizations
            </Button>
          )}
          {add}
        </>
      }
      tools={<Filters search={{ q, status }} change={change} />}
      label="Organizations"
      list={wholeList(rows, answer)}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={Building2}
          title="No organizations yet"
          action={add}
          clear={all.length > 0 && (() => change({ q: undefined, status: undefined }))}
        >
          Devices belong to an organization. Create one for your first customer, or for your own company.
        </NoRows>
      }
    >
      {form === 'new' && <NewOrganization partnerId={partner} close={() => change({ form: undefined })} />}
      {form === 'order' && answer.data && <OrderDialog organizations={all} close={() => change({ form: undefined })} />}
      {open?.what === 'edit' && <EditOrganization organization={open.organization} close={close} />}
      {open?.what === 'status' && (
        <StatusDialog
          subject={open.organization}
          to={open.to}
          step={steps[open.to]}
          set={(next) => api.tenancy.organizations.update.mutate({ id: open.organization.id, status: next })}
          close={close}
        />
      )}
      {open?.what === 'delete' && (
        <DeleteTenant
          tenant={open.organization}
          verb="Delete organization"
          remove={() => api.tenancy.organizations.remove.mutate({ id: open.organization.id })}
          close={close}
        >
          Its users can no longer sign in, its agents are rejected, and its devices, sites and history are no longer
          visible. You cannot undo this here. To block changes only, suspend it.
        </DeleteTenant>
      )}
    </ListPage>
  )
}

interface FiltersProps {
  readonly search: Search
  change(next: Search): void
}
const Filters = ({ search: { q, status }, change }: FiltersProps) => (
  <>
    <SearchField
      label="Search organizations"
      placeholder="Search by name"
      value={q}
      change={(text) => change({ q: text })}
    />
    <Select
      label="Status"
      none="All statuses"
      value={status}
      options={statusWords}
      choose={(next) => change({ status: next })}
    />
    <PartnerChoice />
  </>
)
