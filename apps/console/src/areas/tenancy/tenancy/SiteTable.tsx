import type { Site } from '@muster/areas/tenancy/tenancy/sites/sites.contract.ts'
import { Link } from '@tanstack/react-router'
import { MapPin } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { Note } from '../../../ui/states.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { textOf } from './formValues.ts'
import { SiteForm } from './SiteForm.tsx'

const limit = 50

interface Props {
  readonly orgId: string | undefined
  /** Names the organisation of each, where sites of several are listed. */
  orgName?(orgId: string): string | undefined
  readonly page: number
  readonly add: ReactNode
  setPage(page: number): void
}

/** Sites with what can be done to each. */
export function SiteTable({ orgId, orgName, page, add, setPage }: Props) {
  const [editing, setEditing] = useState<Site | null>(null)
  const [leaving, setLeaving] = useState<Site | null>(null)
  const answer = useApiQuery(
    (client) => client.tenancy.sites.list,
    { page, limit, ...(orgId && { orgId }) },
    { keepLast: true },
  )
  const remove = useApiMutation((id: string) => api.tenancy.sites.remove.mutate({ id }), {
    refresh: ['tenancy'],
    done: () => toast('The site is deleted'),
  })
  const columns = useSiteColumns(orgName, setEditing, setLeaving)
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <>
      <DataTable
        label="Sites"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={MapPin} title="No sites yet" action={add}>
            Sites say where devices are. Enrolment keys and people can be limited to them.
          </Note>
        }
        footer={<Pages {...pagination} set={setPage} />}
      />
      {editing && <SiteForm site={editing} orgId={editing.orgId} close={() => setEditing(null)} />}
      <Confirm
        danger
        open={leaving !== null}
        close={() => setLeaving(null)}
        title={`Delete ${leaving?.name ?? 'the site'}?`}
        verb="Delete"
        act={() => remove.mutateAsync(leaving?.id ?? '')}
      >
        For good. Its devices stay in the organisation and have no site then; device groups of the site are deleted with
        it.
      </Confirm>
    </>
  )
}

function useSiteColumns(
  orgName: Props['orgName'],
  edit: (site: Site) => void,
  leave: (site: Site) => void,
): readonly Column<Site>[] {
  const can = useCan()
  const mayWrite = can('sites:write') ? undefined : 'You need the permission to change sites'
  const mayDelete = can('sites:delete') ? undefined : 'You need the permission to delete sites'
  const faint = (text: string) => text || <span className="text-muted">–</span>
  return [
    {
      id: 'name',
      header: 'Name',
      width: 180,
      grow: 2,
      cell: ({ id, orgId, name }) => (
        <Link to="/devices" search={{ org: orgId, site: id }} className="rounded font-medium hover:text-accent-text">
          {name}
        </Link>
      ),
    },
    ...(orgName
      ? [
          {
            id: 'org',
            header: 'Organisation',
            width: 160,
            grow: 1,
            cell: ({ orgId }: Site) => orgName(orgId) ?? '–',
          },
        ]
      : []),
    { id: 'timezone', header: 'Timezone', width: 160, cell: ({ timezone }) => timezone },
    { id: 'city', header: 'City', width: 140, grow: 1, cell: ({ address }) => faint(textOf(address.city)) },
    { id: 'contact', header: 'Contact', width: 160, grow: 1, cell: ({ contact }) => faint(textOf(contact.name)) },
    {
      id: 'actions',
      header: 'Actions',
      width: 80,
      cell: (site) => (
        <RowMenu
          name={site.name}
          groups={[
            [{ label: 'Change', blocked: mayWrite, act: () => edit(site) }],
            [{ label: 'Delete', danger: true, blocked: mayDelete, act: () => leave(site) }],
          ]}
        />
      ),
    },
  ]
}
