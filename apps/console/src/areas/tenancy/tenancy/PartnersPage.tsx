import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Network, Plus } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Note } from '../../../ui/states.tsx'
import { DeletePartner, PartnerStep } from './ChangePartner.tsx'
import { PartnerForm } from './PartnerForm.tsx'
import { type PartnerStatus, partnerColumns } from './partnerColumns.tsx'

const limit = 50
type Open =
  | { readonly what: 'edit' | 'delete'; readonly partner: Partner }
  | { readonly what: 'status'; readonly partner: Partner; readonly to: PartnerStatus }

/** Every partner of the installation, for the people who run it. */
export function PartnersPage() {
  const { page = 1, form } = useSearch({ from: '/app/partners' })
  const navigate = useNavigate({ from: '/partners' })
  const can = useCan()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const answer = useApiQuery((api) => api.tenancy.partners.list, { page, limit }, { keepLast: true })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const mayWrite = can('organizations:write') ? undefined : 'You need the permission to change organisations'
  const columns = partnerColumns({
    mayWrite,
    mayDelete: can('organizations:delete') ? undefined : 'You need the permission to delete organisations',
    edit: (partner) => setOpen({ what: 'edit', partner }),
    leave: (partner) => setOpen({ what: 'delete', partner }),
    set: (partner, to) => setOpen({ what: 'status', partner, to }),
  })
  const openNew = (next: 'new' | undefined) => void navigate({ search: (now) => ({ ...now, form: next }) })
  const add = (
    <Button kind="primary" blocked={mayWrite} onClick={() => openNew('new')}>
      <Plus aria-hidden className="size-4" />
      New partner
    </Button>
  )
  return (
    <Page fill title="Partners" lead="Providers and companies that use this installation." actions={add}>
      <DataTable
        label="Partners"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={Network} title="No partners yet" action={add}>
            A partner is who uses this installation: a provider with its customers, or a company. Make the first one.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {form === 'new' && <PartnerForm close={() => openNew(undefined)} />}
      {open?.what === 'edit' && <PartnerForm partner={open.partner} close={close} />}
      {open?.what === 'status' && <PartnerStep partner={open.partner} to={open.to} close={close} />}
      {open?.what === 'delete' && <DeletePartner partner={open.partner} close={close} />}
    </Page>
  )
}
