import type { Site } from '@muster/areas/tenancy/tenancy/sites/sites.contract.ts'
import { Link } from '@tanstack/react-router'
import { MapPin } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { ListTable } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { textOf } from '../formValues.ts'
import { organizationColumn } from '../placeColumns.tsx'
import { SiteForm } from './SiteForm.tsx'

interface Props {
  readonly orgId: string | undefined
  /** Lists the organization of each site. */
  readonly withOrganization?: boolean
  readonly add: ReactNode
}

/** The sites of one organization or of all. */
export function SiteTable({ orgId, withOrganization = false, add }: Props) {
  const [editing, setEditing] = useState<Site | null>(null)
  const [deleting, setDeleting] = useState<Site | null>(null)
  const list = useList((client) => client.tenancy.sites.list, orgId ? { orgId } : {})
  const remove = useApiMutation((id: string) => api.tenancy.sites.remove.mutate({ id }), {
    refresh: ['tenancy'],
    done: () => toast('Site deleted'),
  })
  return (
    <>
      <ListTable
        label="Sites"
        list={list}
        columns={useSiteColumns(withOrganization, setEditing, setDeleting)}
        rowId={({ id }) => id}
        empty={
          <NoRows icon={MapPin} title="No sites yet" action={add}>
            Sites say where devices are. You can limit enrollment keys and users to them.
          </NoRows>
        }
      />
      {editing && <SiteForm site={editing} orgId={editing.orgId} close={() => setEditing(null)} />}
      <Confirm
        danger
        open={deleting !== null}
        close={() => setDeleting(null)}
        title={`Delete ${deleting?.name ?? 'the site'}?`}
        verb="Delete site"
        act={() => remove.mutateAsync(deleting?.id ?? '')}
      >
        Its devices stay in the organization without a site. Its device groups are deleted. You cannot undo this.
      </Confirm>
    </>
  )
}

function useSiteColumns(
  withOrganization: boolean,
  edit: (site: Site) => void,
  remove: (site: Site) => void,
): readonly Column<Site>[] {
  const can = useCan()
  const mayWrite = can('sites:write') ? undefined : 'You don’t have permission to edit sites'
  const mayDelete = can('sites:delete') ? undefined : 'You don’t have permission to delete sites'
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
    ...(withOrganization ? [organizationColumn] : []),
    { id: 'timezone', header: 'Time zone', width: 160, cell: ({ timezone }) => timezone },
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
            [{ label: 'Edit site', blocked: mayWrite, act: () => edit(site) }],
            [{ label: 'Delete site', danger: true, blocked: mayDelete, act: () => remove(site) }],
          ]}
        />
      ),
    },
  ]
}
