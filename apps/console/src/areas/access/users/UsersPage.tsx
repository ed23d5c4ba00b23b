import type { User } from '@muster/areas/access/users/user.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { NoTenant, PartnerChoice, type Tenant, useTenant } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { Select } from '../../../ui/Select.tsx'
import { ShownOnce } from '../../../ui/ShownOnce.tsx'
import { Note } from '../../../ui/states.tsx'
import { InviteForm } from './InviteForm.tsx'
import { type MemberAction, questions, useMemberActions } from './memberActions.ts'
import { RoleForm } from './RoleForm.tsx'
import { statusWords, useUserColumns } from './userColumns.tsx'

const limit = 50

/** The people of the partner, or of the organisation that is chosen. */
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
  const { page = 1, q, status, role, form } = useSearch({ from: '/app/users' })
  const navigate = useNavigate({ from: '/users' })
  const change = (next: Narrowing & { page?: number | undefined; form?: 'invite' | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const [editing, setEditing] = useState<User | null>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [handed, setHanded] = useState<string | null>(null)
  const actions = useMemberActions(tenant, setHanded)
  const answer = useApiQuery(
    (api) => api.users.users.list,
    { ...tenant.input, page, limit, ...(q && { search: q }), ...(status && { status }), ...(role && { roleId: role }) },
    { keepLast: true, everyMs: 30_000 },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const columns = useUserColumns({
    edit: setEditing,
    ask: (user, action) => setAsked({ user, action }),
    ...actions,
  })
  const isNarrowed = Boolean(q ?? status ?? role)
  const invite = (
    <Button
      kind="primary"
      blocked={useCan()('users:invite') ? undefined : 'You need the permission to invite users'}
      onClick={() => change({ form: 'invite', page })}
    >
      <UserPlus aria-hidden className="size-4" />
      Invite
    </Button>
  )
  const lead =
    tenant.kind === 'partner'
      ? 'Who works in your company. The people of one organisation are shown once you choose it in the top left corner.'
      : 'Who belongs to this organisation alone.'
  return (
    <Page fill title="Users" lead={lead} actions={invite}>
      <Filters tenant={tenant} search={{ q, status, role }} change={change} />
      <DataTable
        label="Users"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          isNarrowed ? (
            <Note
              icon={Users}
              title="Nobody matches"
              action={
                <Button onClick={() => change({ q: undefined, status: undefined, role: undefined })}>
                  Clear search and filters
                </Button>
              }
            />
          ) : (
            <Note icon={Users} title="Nobody yet" action={invite}>
              Invite somebody by e-mail. The role that you choose says what they may do.
            </Note>
          )
        }
        footer={<Pages {...pagination} set={(next) => change({ page: next > 1 ? next : undefined })} />}
      />
      <InviteForm
        open={form === 'invite'}
        tenant={tenant}
        close={() => change({ form: undefined, page })}
        hand={setHanded}
      />
      <ShownOnce title="Hand over this link" text={handed} label="the link" close={() => setHanded(null)}>
        <p className="text-muted text-sm">
          This installation sends no mail. Give the link to the person yourself, in a way that no other person reads:
          the person who opens it chooses the password.
        </p>
      </ShownOnce>
      {editing && <RoleForm key={editing.id} user={editing} tenant={tenant} close={() => setEditing(null)} />}
      <Confirm
        danger
        open={asked !== null}
        close={() => setAsked(null)}
        title={asked ? questions[asked.action].title(asked.user.name) : ''}
        verb={asked ? questions[asked.action].verb : ''}
        act={async () => asked && actions.confirmed(asked.user, asked.action)}
      >
        {asked && questions[asked.action].consequence}
      </Confirm>
    </Page>
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
    <div className="mb-3 flex flex-wrap gap-2">
      <SearchField
        label="Search users"
        placeholder="Name or e-mail"
        value={q ?? ''}
        change={(text) => change({ q: text || undefined })}
      />
      <Select
        label="Status"
        none="Every status"
        value={status ?? ''}
        options={statusWords}
        choose={(next) => change({ status: next })}
      />
      <Select
        label="Role"
        none="Every role"
        value={role ?? ''}
        options={roles.map(({ id, name }) => [id, name] as const)}
        choose={(next) => change({ role: next })}
      />
      <PartnerChoice />
    </div>
  )
}
