import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../../ui/DataTable.tsx'
import { Badge, type Tone } from '../../../ui/display.tsx'
import { count } from '../../../ui/quantity.ts'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { Ago } from '../../../ui/time.tsx'

export type PartnerStatus = Partner['status']

const statuses: Readonly<
  Record<PartnerStatus, { readonly label: string; readonly tone: Tone; readonly verb: string }>
> = {
  pending: { label: 'Waits for approval', tone: 'info', verb: 'Set back to waiting' },
  active: { label: 'Active', tone: 'good', verb: 'Activate' },
  suspended: { label: 'Suspended', tone: 'warn', verb: 'Suspend' },
  churned: { label: 'Churned', tone: 'plain', verb: 'Mark as churned' },
}
/** What is done to reach a status. */
export const verbTo = (status: PartnerStatus): string => statuses[status].verb
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
  leave(partner: Partner): void
  set(partner: Partner, to: PartnerStatus): void
}

const cap = (value: number | null) => (value === null ? <span className="text-muted">any</span> : count(value))

export const partnerColumns = ({ mayWrite, mayDelete, edit, leave, set }: Acts): readonly Column<Partner>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 220,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/organisations"
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
    width: 150,
    cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].label}</Badge>,
  },
  { id: 'type', header: 'Kind', width: 110, cell: ({ type }) => (type === 'msp' ? 'Provider' : capital(type)) },
  { id: 'plan', header: 'Plan', width: 110, cell: ({ plan }) => capital(plan) },
  {
    id: 'orgs',
    header: 'Most organisations',
    width: 150,
    align: 'end',
    cell: ({ maxOrganizations }) => cap(maxOrganizations),
  },
  { id: 'devices', header: 'Most devices', width: 120, align: 'end', cell: ({ maxDevices }) => cap(maxDevices) },
  { id: 'since', header: 'Since', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (partner) => (
      <RowMenu
        name={partner.name}
        groups={[
          [{ label: 'Change', blocked: mayWrite, act: () => edit(partner) }],
          next[partner.status].map((to) => ({
            label: partner.status === 'pending' && to === 'active' ? 'Approve' : verbTo(to),
            blocked: mayWrite,
            act: () => set(partner, to),
          })),
          [{ label: 'Delete', danger: true, blocked: mayDelete, act: () => leave(partner) }],
        ]}
      />
    ),
  },
]

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
