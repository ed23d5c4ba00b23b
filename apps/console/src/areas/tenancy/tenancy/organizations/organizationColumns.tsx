import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { Link } from '@tanstack/react-router'
import { useApiQuery, useFullList } from '../../../../queries.ts'
import { useCan, useMe } from '../../../../session/session.tsx'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { count } from '../../../../ui/text/quantity.ts'
import { Ago } from '../../../../ui/text/time.tsx'
import { organizationStatuses } from '../search.ts'
import { type OrganizationStatus, StatusBadge, steps } from '../status.tsx'

interface Acts {
  edit(organization: Organization): void
  remove(organization: Organization): void
  set(organization: Organization, to: OrganizationStatus): void
}

/** The columns of the list of organizations. Device counts need a session of the partner. */
export function useOrganizationColumns(acts: Acts): readonly Column<Organization>[] {
  const { scope } = useMe()
  const can = useCan()
  const isPartner = scope === 'partner'
  const figures = useApiQuery((api) => api.tenancy.dashboard.get, {}, { enabled: isPartner, everyMs: 30_000 }).data
  const partners = useFullList(
    (api) => api.tenancy.partners.list,
    {},
    { enabled: scope === 'system', staleMs: 60_000 },
  ).data
  const figuresOf = (id: string) => figures?.organizations.find((each) => each.id === id)
  const mayWrite = can('organizations:write') ? undefined : 'You don’t have permission to edit organizations'
  const mayDelete = can('organizations:delete') ? undefined : 'You don’t have permission to delete organizations'
  return [
    {
      id: 'name',
      header: 'Name',
      width: 220,
      grow: 2,
      cell: ({ id, name, type }) => (
        <Link to="/organizations/$orgId" params={{ orgId: id }} className="group truncate rounded">
          <span className="font-medium group-hover:text-accent-text">{name}</span>
          {type === 'internal' && <span className="text-muted"> internal</span>}
        </Link>
      ),
    },
    { id: 'status', header: 'Status', width: 110, cell: ({ status }) => <StatusBadge status={status} /> },
    ...(isPartner ? figureColumns(figuresOf) : []),
    {
      id: 'cap',
      header: 'Device limit',
      width: 110,
      align: 'end',
      cell: ({ maxDevices }) => (maxDevices === null ? <span className="text-muted">none</span> : count(maxDevices)),
    },
    ...(scope === 'system'
      ? [
          {
            id: 'partner',
            header: 'Partner',
            width: 160,
            grow: 1,
            cell: ({ partnerId }: Organization) => partners?.find(({ id }) => id === partnerId)?.name ?? '–',
          },
        ]
      : []),
    { id: 'made', header: 'Created', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 80,
      cell: (organization) => (
        <RowMenu
          name={organization.name}
          groups={[
            [{ label: 'Edit organization', blocked: mayWrite, act: () => acts.edit(organization) }],
            organizationStatuses
              .filter((to) => to !== organization.status)
              .map((to) => ({ label: steps[to].verb, blocked: mayWrite, act: () => acts.set(organization, to) })),
            [{ label: 'Delete organization', danger: true, blocked: mayDelete, act: () => acts.remove(organization) }],
          ]}
        />
      ),
    },
  ]
}

interface Figures {
  readonly sites: number
  readonly devices: { readonly total: number; readonly online: number }
  readonly lastSeenAt: string | null
}

function figureColumns(figuresOf: (id: string) => Figures | undefined): Column<Organization>[] {
  const number = (value: number | undefined) => (value === undefined ? '–' : count(value))
  return [
    {
      id: 'devices',
      header: 'Devices',
      width: 90,
      align: 'end',
      cell: ({ id, maxDevices }) => {
        const total = figuresOf(id)?.devices.total
        const isFull = maxDevices !== null && total !== undefined && total >= maxDevices
        return (
          <Link
            to="/devices"
            search={{ org: id }}
            className={`rounded hover:text-accent-text ${isFull ? 'font-medium text-warn-text' : ''}`}
          >
            {number(total)}
          </Link>
        )
      },
    },
    {
      id: 'online',
      header: 'Online',
      width: 80,
      align: 'end',
      cell: ({ id }) => number(figuresOf(id)?.devices.online),
    },
    { id: 'sites', header: 'Sites', width: 70, align: 'end', cell: ({ id }) => number(figuresOf(id)?.sites) },
    {
      id: 'seen',
      header: 'Last activity',
      width: 120,
      cell: ({ id }) => <Ago at={figuresOf(id)?.lastSeenAt ?? null} />,
    },
  ]
}
