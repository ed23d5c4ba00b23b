import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { Network } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useFullList } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { ListPage } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../../ui/list/newForm.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import { DeleteTenant } from '../DeleteTenant.tsx'
import { StatusDialog } from '../StatusDialog.tsx'
import { PartnerForm } from './PartnerForm.tsx'
import { partnerColumns } from './partnerColumns.tsx'
import { type PartnerStatus, stepTo } from './partnerSteps.ts'

type Open =
  | { readonly what: 'edit' | 'delete'; readonly partner: Partner }
  | { readonly what: 'status'; readonly partner: Partner; readonly to: PartnerStatus }

/** All partners of the installation, for its administrators. */
export function PartnersPage() {
  const can = useCan()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const list = useList((client) => client.tenancy.partners.list, {})
  const mayWrite = can('organizations:write') ? undefined : 'You don’t have permission to edit organizations'
  const columns = partnerColumns({
    mayWrite,
    mayDelete: can('organizations:delete') ? undefined : 'You don’t have permission to delete organizations',
    edit: (partner) => setOpen({ what: 'edit', partner }),
    remove: (partner) => setOpen({ what: 'delete', partner }),
    set: (partner, to) => setOpen({ what: 'status', partner, to }),
  })
  const creation = useNewForm('New partner', mayWrite)
  return (
    <ListPage
      title="Partners"
      lead="IT providers and companies that use this installation."
      actions={creation.button}
      label="Partners"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={Network} title="No partners yet" action={creation.button}>
          A partner is an IT provider with its customers, or a company. Create the first one.
        </NoRows>
      }
    >
      {creation.isOpen && <PartnerForm close={creation.close} />}
      {open?.what === 'edit' && <PartnerForm partner={open.partner} close={close} />}
      {open?.what === 'status' && (
        <StatusDialog
          subject={open.partner}
          to={open.to}
          step={stepTo(open.partner, open.to)}
          set={(status) => api.tenancy.partners.update.mutate({ id: open.partner.id, status })}
          close={close}
        >
          {open.partner.status === 'pending' && <Registrant partnerId={open.partner.id} />}
        </StatusDialog>
      )}
      {open?.what === 'delete' && (
        <DeleteTenant
          tenant={open.partner}
          verb="Delete partner"
          remove={() => api.tenancy.partners.remove.mutate({ id: open.partner.id })}
          close={close}
        >
          All its organizations are deleted too: their users can no longer sign in, their agents are rejected, and their
          data is no longer visible. You cannot undo this here.
        </DeleteTenant>
      )}
    </ListPage>
  )
}

/** The first user of a partner, who registered it. */
function Registrant({ partnerId }: { readonly partnerId: string }) {
  const enabled = useCan()('users:read')
  const users = useFullList((client) => client.users.users.list, { partnerId }, { enabled }).data ?? []
  const first = users.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))[0]
  return (
    first && (
      <p className="mt-2">
        Registered by <span className="font-medium text-ink">{first.name}</span> ({first.email}).
      </p>
    )
  )
}
