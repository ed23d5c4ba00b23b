import type { Role } from '@muster/areas/access/roles/roles.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, ShieldCheck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { NoTenant, PartnerChoice, type Tenant, useTenant } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Badge } from '../../../ui/display.tsx'
import { Page } from '../../../ui/Page.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { Note } from '../../../ui/states.tsx'
import { CloneForm, DeleteRole, NewRoleForm } from './roleForms.tsx'

/** The roles that people can be given: what they may do. */
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
  const { q = '', form } = useSearch({ from: '/app/roles' })
  const navigate = useNavigate({ from: '/roles' })
  const can = useCan()
  const [copying, setCopying] = useState<Role | null>(null)
  const [leaving, setLeaving] = useState<Role | null>(null)
  const answer = useApiQuery((api) => api.roles.roles.list, tenant.input)
  const all = answer.data?.data ?? []
  const rows = all.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
  const mayWrite = can('users:write') ? undefined : 'You need the permission to change users and roles'
  const mayDelete = can('users:delete') ? undefined : 'You need the permission to remove users and roles'
  const columns = useMemo(
    () => columnsWith(all, { mayWrite, mayDelete, copy: setCopying, leave: setLeaving }),
    [all, mayWrite, mayDelete],
  )
  return (
    <Page
      fill
      title="Roles"
      lead="A role says what its people may do. Built-in ones cannot be changed; copy one to begin."
      actions={
        <Button
          kind="primary"
          blocked={mayWrite}
          onClick={() => void navigate({ search: (now) => ({ ...now, form: 'new' }) })}
        >
          <Plus aria-hidden className="size-4" />
          New role
        </Button>
      }
    >
      <div className="mb-3 flex flex-wrap gap-2">
        <SearchField
          label="Search roles"
          placeholder="Search"
          value={q}
          change={(text) => void navigate({ search: (now) => ({ ...now, q: text || undefined }), replace: true })}
        />
        <PartnerChoice />
      </div>
      <DataTable
        label="Roles"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        empty={<Note icon={ShieldCheck} title="No role is called that" />}
      />
      <NewRoleForm
        open={form === 'new'}
        tenant={tenant}
        roles={all}
        close={() => void navigate({ search: (now) => ({ ...now, form: undefined }) })}
      />
      {copying && <CloneForm role={copying} tenant={tenant} close={() => setCopying(null)} />}
      <DeleteRole role={leaving} close={() => setLeaving(null)} />
    </Page>
  )
}

interface Acts {
  readonly mayWrite: string | undefined
  readonly mayDelete: string | undefined
  copy(role: Role): void
  leave(role: Role): void
}

/** Why a role cannot be deleted now. */
const blockersOf = (role: Role, all: readonly Role[]) => {
  const heirs = all.filter(({ parentRoleId }) => parentRoleId === role.id)
  if (role.isSystem) return 'Built-in roles stay'
  if (role.userCount > 0)
    return `Give its ${role.userCount === 1 ? 'one user' : `${role.userCount} users`} another role first`
  if (heirs.length > 0) return `${heirs.map(({ name }) => name).join(', ')} inherits from it`
  return undefined
}

const columnsWith = (all: readonly Role[], { mayWrite, mayDelete, copy, leave }: Acts): readonly Column<Role>[] => [
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
    header: 'Second factor',
    width: 120,
    cell: ({ forceMfa }) => (forceMfa ? 'Demanded' : <span className="text-muted">Optional</span>),
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
          [{ label: 'Copy', blocked: mayWrite, act: () => copy(role) }],
          [
            {
              label: 'Delete',
              danger: true,
              blocked: mayDelete ?? blockersOf(role, all),
              act: () => leave(role),
            },
          ],
        ]}
      />
    ),
  },
]
