import type { User } from '@muster/areas/access/users/user.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { NoTenant, PartnerChoice, type Tenant, useTenant } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { ShownOnce } from '../../../ui/dialog/ShownOnce.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { InviteForm } from './InviteForm.tsx'
import { confirmations, type MemberAction, useMemberActions } from './memberActions.ts'
import { RoleForm } from './RoleForm.tsx'
import { statusWords, useUserColumns } from './userColumns.tsx'

/** The members of the partner, or of the selected organization. */
export function UsersPage() {
  const tenant = useTenant()
  if (tenant === null)
    return (
      <Page title="Users">
        <NoTenant what="Users" />
      </Page>
    )
  return <Members tenant={tenant} />
}

interface Asked {
  readonly user: User
  readonly action: MemberAction
}

function Members({ tenant }: { readonly tenant: Tenant }) {
  const { q, status, role, form } = useSearch({ from: '/app/users' })
  const navigate = useNavigate({ from: '/users' })
  const narrow = (next: Narrowing) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const setForm = (next: 'invite' | undefined) => void navigate({ search: (now) => ({ ...now, form: next }) })
  const [editing, setEditing] = useState<User | null>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const actions = useMemberActions(tenant, setLink)
  const list = useList(
    (api) => api.users.users.list,
    { ...tenant.input, ...(q && { search: q }), ...(status && { status }), ...(role && { roleId: role }) },
    { everyMs: 30_000 },
  )
  const columns = useUserColumns({ edit: setEditing, ask: (user, action) => setAsked({ user, action }), ...actions })
  const invite = (
    <Button
      kind="primary"
      blocked={useCan()('users:invite') ? undefined : 'You don’t have permission to invite users'}
      onClick={() => setForm('invite')}
    >
      <UserPlus aria-hidden className="size-4" />
      Invite user
    </Button>
  )
  return (
    <ListPage
      title="Users"
      lead={
        tenant.kind === 'partner'
          ? 'People in your company. To see the users of one organization, select it at the top.'
          : 'Users of this organization.'
      }
      actions={invite}
      tools={<Filters tenant={tenant} search={{ q, status, role }} change={narrow} />}
      label="Users"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={Users}
          title="No users yet"
          action={invite}
          clear={(q ?? status ?? role) && (() => narrow({ q: undefined, status: undefined, role: undefined }))}
        >
          Invite people by email. Their role sets what they can do.
        </NoRows>
      }
    >
      <InviteForm open={form === 'invite'} tenant={tenant} close={() => setForm(undefined)} showLink={setLink} />
      <ShownOnce title="Link for the user" text={link} label="the link" close={() => setLink(null)}>
        <p className="text-muted text-sm">
          No mail server is configured. Send the link to the user over a private channel: the link lets its holder set
          the password.
        </p>
      </ShownOnce>
      {editing && <RoleForm key={editing.id} user={editing} tenant={tenant} close={() => setEditing(null)} />}
      <Confirm
        danger
        open={asked !== null}
        close={() => setAsked(null)}
        title={asked ? confirmations[asked.action].title(asked.user.name) : ''}
        verb={asked ? confirmations[asked.action].verb : ''}
        act={async () => asked && actions.confirmed(asked.user, asked.action)}
      >
        {asked && confirmations[asked.action].consequence}
      </Confirm>
    </ListPage>
  )
}

interface Narrowing {
  readonly q?: string | undefined
  readonly status?: User['status'] | undefined
  readonly role?: string | undefined
}
interface FiltersProps {
  readonly tenant: Tenant
  readonly search: Narrowing
  change(next: Narrowing): void
}

function Filters({ tenant, search: { q, status, role }, change }: FiltersProps) {
  const roles = useApiQuery((api) => api.users.users.roles, tenant.input, { staleMs: 30_000 }).data?.data ?? []
  return (
    <>
      <SearchField label="Search users" placeholder="Name or email" value={q} change={(text) => change({ q: text })} />
      <Select
        label="Status"
        none="All statuses"
        value={status}
        options={statusWords}
        choose={(next) => change({ status: next })}
      />
      <Select
        label="Role"
        none="All roles"
        value={role}
        options={roles.map(({ id, name }) => [id, name] as const)}
        choose={(next) => change({ role: next })}
      />
      <PartnerChoice />
    </>
  )
}
