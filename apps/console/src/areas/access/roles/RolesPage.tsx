import type { Role } from '@muster/areas/access/roles/roles.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { NoTenant, PartnerChoice, type Tenant, useTenant } from '../../../shell/tenant.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { wholeList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { CloneForm, DeleteRole, NewRoleForm } from './roleForms.tsx'

/** The roles of the tenant. */
export function RolesPage() {
  const tenant = useTenant()
  if (tenant === null)
    return (
      <Page title="Roles">
        <NoTenant what="Roles" />
      </Page>
    )
  return <Roles tenant={tenant} />
}

function Roles({ tenant }: { readonly tenant: Tenant }) {
  const { q = '' } = useSearch({ from: '/app/roles' })
  const navigate = useNavigate({ from: '/roles' })
  const search = (text: string | undefined) => void navigate({ search: (now) => ({ ...now, q: text }), replace: true })
  const can = useCan()
  const [copied, setCopied] = useState<Role | null>(null)
  const [deleted, setDeleted] = useState<Role | null>(null)
  const answer = useApiQuery((api) => api.roles.roles.list, tenant.input)
  const all = answer.data?.data ?? []
  const rows = all.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
  const mayWrite = can('users:write') ? undefined : 'You don’t have permission to edit users and roles'
  const mayDelete = can('users:delete') ? undefined : 'You don’t have permission to delete users and roles'
  const columns = useMemo(
    () => columnsWith(all, { mayWrite, mayDelete, copy: setCopied, remove: setDeleted }),
    [all, mayWrite, mayDelete],
  )
  const creation = useNewForm('New role', mayWrite)
  return (
    <ListPage
      title="Roles"
      lead="Roles set permissions. Copy a built-in role to edit it."
      actions={creation.button}
      tools={
        <>
          <SearchField label="Search roles" placeholder="Search by name" value={q} change={search} />
          <PartnerChoice />
        </>
      }
      label="Roles"
      list={wholeList(rows, answer)}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={ShieldCheck}
          title="No roles yet"
          action={creation.button}
          clear={q !== '' && (() => search(undefined))}
        />
      }
    >
      <NewRoleForm open={creation.isOpen} tenant={tenant} roles={all} close={creation.close} />
      {copied && <CloneForm role={copied} tenant={tenant} close={() => setCopied(null)} />}
      <DeleteRole role={deleted} close={() => setDeleted(null)} />
    </ListPage>
  )
}

interface Acts {
  readonly mayWrite: string | undefined
  readonly mayDelete: string | undefined
  copy(role: Role): void
  remove(role: Role): void
}

/** The reason why a role cannot be deleted now. */
const blockersOf = (role: Role, all: readonly Role[]) => {
  const heirs = all.filter(({ parentRoleId }) => parentRoleId === role.id)
  if (role.isSystem) return 'Built-in roles cannot be deleted'
  if (role.userCount > 0) return `Assign its ${many(role.userCount, 'user')} another role first`
  if (heirs.length > 0)
    return `${heirs.map(({ name }) => name).join(', ')} ${heirs.length === 1 ? 'inherits' : 'inherit'} from it`
  return undefined
}

const columnsWith = (all: readonly Role[], { mayWrite, mayDelete, copy, remove }: Acts): readonly Column<Role>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 220,
    grow: 2,
    cell: ({ id, name, isSystem }) => (
      <span className="flex items-center gap-2">
        <Link
          to="/roles/$roleId"
          params={{ roleId: id }}
          className="truncate rounded font-medium hover:text-accent-text"
        >
          {name}
        </Link>
        {isSystem && <Badge>Built in</Badge>}
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    width: 220,
    grow: 3,
    cell: ({ description }) => <span className="text-muted">{description ?? '–'}</span>,
  },
  {
    id: 'parent',
    header: 'Inherits from',
    width: 160,
    grow: 1,
    cell: ({ parentRoleId }) => all.find(({ id }) => id === parentRoleId)?.name ?? '–',
  },
  {
    id: 'mfa',
    header: 'MFA',
    width: 120,
    cell: ({ forceMfa }) => (forceMfa ? 'Required' : <span className="text-muted">Optional</span>),
  },
  {
    id: 'users',
    header: 'Users',
    width: 80,
    align: 'end',
    cell: ({ id, userCount }) => (
      <Link to="/users" search={{ role: id }} className="rounded hover:text-accent-text">
        {userCount}
      </Link>
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (role) => (
      <RowMenu
        name={role.name}
        groups={[
          [{ label: 'Copy role', blocked: mayWrite, act: () => copy(role) }],
          [
            {
              label: 'Delete role',
              danger: true,
              blocked: mayDelete ?? blockersOf(role, all),
              act: () => remove(role),
            },
          ],
        ]}
      />
    ),
  },
]
