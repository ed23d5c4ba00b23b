import type { User } from '@muster/areas/access/users/user.contract.ts'
import { useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import type { MenuEntry } from '../../../ui/button/Menu.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import type { MemberAction } from './memberActions.ts'

export const statusWords = [
  ['active', 'Active'],
  ['invited', 'Invited'],
  ['disabled', 'Disabled'],
] as const
const wordsOf = new Map<User['status'], string>(statusWords)
const tones: Readonly<Record<User['status'], Tone>> = { active: 'good', invited: 'info', disabled: 'plain' }

interface Acts {
  edit(user: User): void
  ask(user: User, action: MemberAction): void
  resend(user: User): void
  enable(user: User): void
}

/** The columns of the list of users. */
export function useUserColumns(acts: Acts): readonly Column<User>[] {
  const me = useMe()
  const can = useCan()
  const orgs = useApiQuery(
    (api) => api.tenancy.organizations.all,
    {},
    { enabled: can('organizations:read'), staleMs: 60_000 },
  ).data?.data
  const orgName = (id: string) => orgs?.find((each) => each.id === id)?.name
  const may = {
    write: can('users:write') ? undefined : 'You don’t have permission to edit users',
    remove: can('users:delete') ? undefined : 'You don’t have permission to remove users',
    invite: can('users:invite') ? undefined : 'You don’t have permission to invite users',
  }
  return [
    {
      id: 'name',
      header: 'Name',
      width: 240,
      grow: 3,
      cell: (user) => (
        <button type="button" className="group max-w-full truncate rounded text-left" onClick={() => acts.edit(user)}>
          <span className="font-medium group-hover:text-accent-text">{user.name}</span>{' '}
          <span className="text-muted">{user.email}</span>
          {user.id === me.id && <span className="text-muted"> (you)</span>}
        </button>
      ),
    },
    { id: 'role', header: 'Role', width: 160, grow: 1, cell: ({ roleName }) => roleName },
    {
      id: 'reach',
      header: 'Access',
      width: 160,
      grow: 1,
      cell: (user) => reachWords(user, orgName),
    },
    {
      id: 'status',
      header: 'Status',
      width: 100,
      cell: ({ status }) => <Badge tone={tones[status]}>{wordsOf.get(status)}</Badge>,
    },
    {
      id: 'mfa',
      header: 'MFA',
      width: 120,
      cell: ({ mfaEnabled }) => (mfaEnabled ? 'On' : <span className="text-muted">Off</span>),
    },
    { id: 'login', header: 'Last sign-in', width: 120, cell: ({ lastLoginAt }) => <Ago at={lastLoginAt} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 80,
      cell: (user) => <RowMenu name={user.name} groups={entriesOf(user, user.id === me.id, may, acts)} />,
    },
  ]
}

function reachWords({ orgAccess, orgIds, siteIds, deviceGroupIds }: User, orgName: (id: string) => string | undefined) {
  if (orgAccess === 'all') return 'All organizations'
  if (orgAccess === 'none') return <span className="text-muted">No organizations</span>
  if (orgAccess === 'selected') {
    const [only] = orgIds ?? []
    return orgIds?.length === 1 && only
      ? (orgName(only) ?? '1 organization')
      : many(orgIds?.length ?? 0, 'organization')
  }
  const limits = [siteIds && many(siteIds.length, 'site'), deviceGroupIds && many(deviceGroupIds.length, 'group')]
  return limits.filter(Boolean).join(', ') || 'Whole organization'
}

type May = Readonly<Record<'write' | 'remove' | 'invite', string | undefined>>

function entriesOf(user: User, isSelf: boolean, may: May, acts: Acts): MenuEntry[][] {
  const own = isSelf ? 'Open “Your account” to change your own sign-in' : undefined
  const asks = (label: string, action: MemberAction, danger: boolean, blocked: string | undefined): MenuEntry => ({
    label,
    danger,
    blocked,
    act: () => acts.ask(user, action),
  })
  const notActive = user.status === 'active' ? undefined : 'The user is not active'
  return [
    [{ label: 'Edit access', blocked: may.write, act: () => acts.edit(user) }],
    user.status === 'invited'
      ? [{ label: 'Resend invitation', blocked: may.invite, act: () => acts.resend(user) }]
      : [
          asks('Sign out everywhere', 'sessions', false, may.write ?? own),
          asks('Reset password', 'password', false, may.write ?? own ?? notActive),
          asks('Reset MFA', 'mfa', false, may.write ?? own),
        ],
    [
      ...(user.status === 'disabled'
        ? [{ label: 'Enable user', blocked: may.write, act: () => acts.enable(user) }]
        : user.status === 'active'
          ? [asks('Disable user', 'disable', false, may.write ?? own)]
          : []),
      asks('Remove user', 'remove', true, may.remove ?? own),
    ],
  ]
}
