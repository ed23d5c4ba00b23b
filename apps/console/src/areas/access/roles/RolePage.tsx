import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Copy, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { useTenant } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { CheckField, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { PermissionTable } from './PermissionTable.tsx'
import { type Draft, type RoleDetail, useInherited, useRoleDraft } from './roleDraft.ts'
import { CloneForm, DeleteRole } from './roleForms.tsx'

const up = { label: 'Roles', to: '/roles' } as const
const noWrite = 'You don’t have permission to edit users and roles'

/** One role: its own and inherited permissions. */
export function RolePage() {
  const { roleId } = useParams({ from: '/app/roles/$roleId' })
  const answer = useApiQuery((client) => client.roles.roles.get, { id: roleId })
  if (!answer.data) return <PendingPage title="Role" up={up} answer={answer} />
  return <Editor key={`${roleId}${answer.data.updatedAt}`} role={answer.data} />
}

function Editor({ role }: { readonly role: RoleDetail }) {
  const mayWrite = useCan()('users:write')
  const { draft, save, isChanged, change, toggle } = useRoleDraft(role)
  const blocked = role.isSystem
    ? 'Built-in roles cannot be edited. Copy this one instead'
    : mayWrite
      ? undefined
      : noWrite
  const inherited = useInherited(draft.parentRoleId)
  return (
    <Page
      title={role.name}
      up={up}
      badge={role.isSystem && <Badge>Built in</Badge>}
      lead={
        <Link to="/users" search={{ role: role.id }} className="rounded hover:text-ink">
          {role.userCount === 0 ? 'No users' : many(role.userCount, 'user')}
        </Link>
      }
      actions={
        <>
          <Actions role={role} />
          <Button
            kind="primary"
            busy={save.isPending}
            blocked={blocked ?? (!isChanged && 'No changes to save')}
            onClick={() => save.mutate()}
          >
            Save role
          </Button>
        </>
      }
    >
      <div className="grid max-w-6xl items-start gap-4 xl:grid-cols-[20rem_1fr]">
        <About role={role} draft={draft} blocked={blocked} error={save.error} change={change} />
        <Card flush title="Permissions" actions={inherited.size > 0 && <Badge>{inherited.size} inherited</Badge>}>
          <PermissionTable own={draft.own} inherited={inherited} toggle={blocked === undefined ? toggle : undefined} />
        </Card>
      </div>
    </Page>
  )
}

/** The tenant of the role. A built-in role has none, so the selected place counts. */
function useTenantOf({ isSystem, partnerId, orgId }: RoleDetail) {
  const tenant = useTenant()
  if (isSystem && tenant) return tenant
  return {
    kind: orgId ? ('organization' as const) : ('partner' as const),
    input: { ...(partnerId && !orgId && { partnerId }), ...(orgId && { orgId }) },
  }
}

function Actions({ role }: { readonly role: RoleDetail }) {
  const can = useCan()
  const navigate = useNavigate()
  const tenant = useTenantOf(role)
  const [open, setOpen] = useState<'copy' | 'delete' | null>(null)
  const inUse = role.userCount > 0 && 'Assign its users another role first'
  return (
    <>
      <Button blocked={!can('users:write') && noWrite} onClick={() => setOpen('copy')}>
        <Copy aria-hidden className="size-4" />
        Copy role
      </Button>
      {!role.isSystem && (
        <Button
          blocked={can('users:delete') ? inUse : 'You don’t have permission to remove users and roles'}
          onClick={() => setOpen('delete')}
        >
          <Trash2 aria-hidden className="size-4" />
          Delete role
        </Button>
      )}
      {open === 'copy' && <CloneForm role={role} tenant={tenant} close={() => setOpen(null)} />}
      <DeleteRole
        role={open === 'delete' ? role : null}
        close={() => setOpen(null)}
        done={() => void navigate({ to: '/roles' })}
      />
    </>
  )
}

interface AboutProps {
  readonly role: RoleDetail
  readonly draft: Draft
  readonly blocked: string | undefined
  readonly error: unknown
  change(next: Partial<Draft>): void
}

function About({ role, draft, blocked, error, change }: AboutProps) {
  const others = useApiQuery((client) => client.roles.roles.list, useTenantOf(role).input).data?.data ?? []
  return (
    <Card title="About">
      <fieldset disabled={blocked !== undefined} className="grid gap-4">
        <TextField label="Name" value={draft.name} onChange={({ target }) => change({ name: target.value })} />
        <TextField
          label="Description"
          optional
          value={draft.description}
          onChange={({ target }) => change({ description: target.value })}
        />
        <SelectField
          label="Inherits from"
          value={draft.parentRoleId ?? ''}
          onChange={({ target }) => change({ parentRoleId: target.value || null })}
        >
          <option value="">No role</option>
          {others
            .filter(({ id }) => id !== role.id)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </SelectField>
        <CheckField
          label="Require MFA"
          hint="Users without MFA set it up at the next sign-in."
          checked={draft.forceMfa}
          disabled={blocked !== undefined}
          onChange={(forceMfa) => change({ forceMfa })}
        />
        {blocked && <p className="text-muted text-sm">{blocked}.</p>}
        <Refusal error={error} />
      </fieldset>
    </Card>
  )
}
