import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { Link } from '@tanstack/react-router'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import { Badge, type Tone } from '../../../../ui/page/display.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { count } from '../../../../ui/text/quantity.ts'
import { Ago } from '../../../../ui/text/time.tsx'
import { capital } from '../../../../ui/text/words.ts'
import { type PartnerStatus, stepTo } from './partnerSteps.ts'

const statuses: Readonly<Record<PartnerStatus, { readonly label: string; readonly tone: Tone }>> = {
  pending: { label: 'Pending approval', tone: 'info' },
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warn' },
  churned: { label: 'Churned', tone: 'plain' },
}
const next: Readonly<Record<PartnerStatus, readonly PartnerStatus[]>> = {
  pending: ['active', 'churned'],
  active: ['suspended', 'churned'],
  suspended: ['active', 'churned'],
  churned: ['active'],
}

interface Acts {
  readonly mayWrite: string | undefined
  readonly mayDelete: string | undefined
  edit(partner: Partner): void
  remove(partner: Partner): void
  set(partner: Partner, to: PartnerStatus): void
}

const cap = (value: number | null) => (value === null ? <span className="text-muted">none</span> : count(value))

export const partnerColumns = ({ mayWrite, mayDelete, edit, remove, set }: Acts): readonly Column<Partner>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 200,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/organizations"
        search={{ partner: id }}
        className="truncate rounded font-medium hover:text-accent-text"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 140,
    cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].label}</Badge>,
  },
  { id: 'type', header: 'Type', width: 110, cell: ({ type }) => (type === 'msp' ? 'IT provider' : capital(type)) },
  { id: 'plan', header: 'Plan', width: 90, cell: ({ plan }) => capital(plan) },
  {
    id: 'orgs',
    header: 'Organization limit',
    width: 140,
    align: 'end',
    cell: ({ maxOrganizations }) => cap(maxOrganizations),
  },
  { id: 'devices', header: 'Device limit', width: 110, align: 'end', cell: ({ maxDevices }) => cap(maxDevices) },
  { id: 'since', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (partner) => (
      <RowMenu
        name={partner.name}
        groups={[
          [{ label: 'Edit partner', blocked: mayWrite, act: () => edit(partner) }],
          next[partner.status].map((to) => ({
            label: stepTo(partner, to).verb,
            blocked: mayWrite,
            act: () => set(partner, to),
          })),
          [{ label: 'Delete partner', danger: true, blocked: mayDelete, act: () => remove(partner) }],
        ]}
      />
    ),
  },
]
