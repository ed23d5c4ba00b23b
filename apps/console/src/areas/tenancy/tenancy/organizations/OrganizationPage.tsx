import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { Link, useParams } from '@tanstack/react-router'
import { Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../../queries.ts'
import { useCan, useMe } from '../../../../session/session.tsx'
import { Button, buttonClass } from '../../../../ui/button/Button.tsx'
import { Card, Facts } from '../../../../ui/page/display.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { PendingPage } from '../../../../ui/page/PendingPage.tsx'
import { count } from '../../../../ui/text/quantity.ts'
import { useTimes } from '../../../../ui/text/time.tsx'
import { textOf } from '../formValues.ts'
import { SecurityCard } from '../settings/SecurityCard.tsx'
import { SiteForm } from '../sites/SiteForm.tsx'
import { SiteTable } from '../sites/SiteTable.tsx'
import { StatusBadge } from '../status.tsx'
import { EditOrganization } from './OrganizationForm.tsx'

const up = { label: 'Organizations', to: '/organizations' } as const

/** One organization: its details, sign-in rules and sites. */
export function OrganizationPage() {
  const { orgId } = useParams({ from: '/app/organizations/$orgId' })
  const answer = useApiQuery((api) => api.tenancy.organizations.get, { id: orgId })
  if (!answer.data) return <PendingPage title="Organization" up={up} answer={answer} />
  return <Sheet organization={answer.data} />
}

function Sheet({ organization }: { readonly organization: Organization }) {
  const { id, name, status } = organization
  const can = useCan()
  const [open, setOpen] = useState<'edit' | 'site' | null>(null)
  const mayWrite = can('organizations:write') ? undefined : 'You don’t have permission to edit organizations'
  const add = (
    <Button
      small
      blocked={can('sites:write') ? undefined : 'You don’t have permission to edit sites'}
      onClick={() => setOpen('site')}
    >
      <Plus aria-hidden className="size-3.5" />
      New site
    </Button>
  )
  return (
    <Page
      title={name}
      up={up}
      badge={<StatusBadge status={status} />}
      actions={
        <>
          <Link to="/devices" search={{ org: id }} className={buttonClass()}>
            View devices
          </Link>
          <Link to="/users" search={{ org: id }} className={buttonClass()}>
            View users
          </Link>
          {can('devices:write') && (
            <Link to="/enrollment" search={{ org: id }} className={buttonClass()}>
              Add devices
            </Link>
          )}
          <Button kind="primary" blocked={mayWrite} onClick={() => setOpen('edit')}>
            <Pencil aria-hidden className="size-4" />
            Edit organization
          </Button>
        </>
      }
    >
      <div className="grid max-w-6xl grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        <Details organization={organization} />
        <SecurityCard organization={organization} blocked={mayWrite !== undefined} />
        <section aria-label="Sites" className="lg:col-span-2">
          <div className="mb-2 flex items-center justify-between">
            <h2 className="font-semibold">Sites</h2>
            {add}
          </div>
          <div className="flex h-80 flex-col">
            <SiteTable orgId={id} add={add} />
          </div>
        </section>
      </div>
      {open === 'edit' && <EditOrganization organization={organization} close={() => setOpen(null)} />}
      {open === 'site' && <SiteForm orgId={id} close={() => setOpen(null)} />}
    </Page>
  )
}

function Details({ organization }: { readonly organization: Organization }) {
  const { id, slug, type, maxDevices, contractStart, contractEnd, billingContact, createdAt } = organization
  const { date } = useTimes()
  const isPartner = useMe().scope === 'partner'
  const figures = useApiQuery((api) => api.tenancy.dashboard.get, {}, { enabled: isPartner }).data
  const devices = figures?.organizations.find((each) => each.id === id)?.devices
  const day = (at: string | null, otherwise: string) => (at === null ? otherwise : date(at))
  return (
    <Card title="Details">
      <Facts
        facts={[
          ['Short name', slug],
          ['Type', type === 'customer' ? 'Customer' : 'Internal'],
          [
            'Devices',
            `${devices ? `${count(devices.total)} (${count(devices.online)} online), ` : ''}${maxDevices === null ? 'no limit' : `limit ${count(maxDevices)}`}`,
          ],
          [
            'Contract',
            contractStart === null && contractEnd === null
              ? 'not set'
              : `${day(contractStart, 'open')} to ${day(contractEnd, 'open')}`,
          ],
          [
            'Billing contact',
            [textOf(billingContact.name), textOf(billingContact.email)].filter(Boolean).join(', ') || 'not set',
          ],
          ['Created', date(createdAt)],
        ]}
      />
    </Card>
  )
}
