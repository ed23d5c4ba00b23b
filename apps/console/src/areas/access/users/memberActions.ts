import type { User } from '@muster/areas/access/users/user.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'

export type MemberAction = 'sessions' | 'mfa' | 'password' | 'disable' | 'remove'

interface Confirmation {
  readonly title: (name: string) => string
  readonly verb: string
  readonly consequence: string
}

/** The confirmations before an action on a member. */
export const confirmations: Readonly<Record<MemberAction, Confirmation>> = {
  sessions: {
    title: (name) => `Sign out ${name} everywhere?`,
    verb: 'Sign out',
    consequence: 'All their sessions end and they have to sign in again. Their API keys keep working.',
  },
  mfa: {
    title: (name) => `Reset MFA for ${name}?`,
    verb: 'Reset MFA',
    consequence:
      'Their authenticator, phone, passkeys and recovery codes stop working, all their sessions and API keys end, and they get an email. First make sure that the request comes from them.',
  },
  password: {
    title: (name) => `Reset the password of ${name}?`,
    verb: 'Reset password',
    consequence:
      'Their password stops working immediately, and all their sessions and API keys end. They get an email with a link to set a new password.',
  },
  disable: {
    title: (name) => `Disable ${name}?`,
    verb: 'Disable user',
    consequence:
      'Their sessions end within a second, and they cannot sign in until you enable them again. Their data stays.',
  },
  remove: {
    title: (name) => `Remove ${name}?`,
    verb: 'Remove user',
    consequence: 'They lose access immediately. Their account and the audit log stay, and you can invite them again.',
  },
}

const ended = ({ sessions, apiKeys }: { readonly sessions: number; readonly apiKeys: number }) =>
  `${many(sessions, 'session')} and ${many(apiKeys, 'API key')} ended`

/** The changes of a member that need no form. A toast reports each result. */
export function useMemberActions(tenant: Tenant, showLink: (url: string) => void) {
  const refresh = ['users', 'roles']
  const { input } = tenant
  const setStatus = useApiMutation(
    ({ user, status }: { readonly user: User; readonly status: 'active' | 'disabled' }) =>
      api.users.users.update.mutate({ id: user.id, status, ...input }),
    {
      refresh,
      done(_, { user, status }) {
        if (status === 'active') return toast(`${user.name} enabled`)
        toast(`${user.name} disabled`, { undo: () => setStatus.mutate({ user, status: 'active' }) })
      },
    },
  )
  const resend = useApiMutation(
    (user: User) => api.users.invitations.resendInvite.mutate({ userId: user.id, ...input }),
    {
      refresh,
      done({ inviteUrl }, { email }) {
        if (inviteUrl) showLink(inviteUrl)
        else toast(`Invitation sent to ${email}. The previous link no longer works`)
      },
    },
  )
  const act = useApiMutation(
    async ({ user, action }: { readonly user: User; readonly action: Exclude<MemberAction, 'disable'> }) => {
      const member = { id: user.id, ...input }
      if (action === 'sessions') {
        const { sessions } = await api.users.protection.endSessions.mutate(member)
        return `${many(sessions, 'session')} of ${user.name} ended`
      }
      if (action === 'mfa') return ended(await api.users.protection.resetMfa.mutate(member))
      if (action === 'password') {
        const { resetUrl, ...counts } = await api.users.protection.resetPassword.mutate(member)
        if (resetUrl) showLink(resetUrl)
        return `${resetUrl ? '' : 'Link sent. '}${ended(counts)}`
      }
      await api.users.users.remove.mutate(member)
      return `${user.name} removed`
    },
    { refresh, done: (message) => toast(message) },
  )
  return {
    resend: (user: User) => resend.mutate(user, { onError: toastError }),
    enable: (user: User) => setStatus.mutate({ user, status: 'active' }, { onError: toastError }),
    confirmed: (user: User, action: MemberAction): Promise<unknown> =>
      action === 'disable' ? setStatus.mutateAsync({ user, status: 'disabled' }) : act.mutateAsync({ user, action }),
  }
}
