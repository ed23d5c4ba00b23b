import type { User } from '@muster/areas/access/users/user.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { many } from '../../../ui/quantity.ts'
import { messageOf } from '../../../ui/states.tsx'
import { toast } from '../../../ui/toasts.tsx'

export type MemberAction = 'sessions' | 'mfa' | 'password' | 'disable' | 'remove'

interface Question {
  readonly title: (name: string) => string
  readonly verb: string
  readonly consequence: string
}

/** What is asked before something is done to a member. */
export const questions: Readonly<Record<MemberAction, Question>> = {
  sessions: {
    title: (name) => `Sign ${name} out everywhere?`,
    verb: 'Sign out',
    consequence: 'Every browser in which this person is signed in here asks for the password again. API keys go on.',
  },
  mfa: {
    title: (name) => `Take the second factors from ${name}?`,
    verb: 'Reset',
    consequence:
      'Authenticator, phone, passkeys and recovery codes of this person stop working, all its sessions and API keys end, and it is told by mail. Make sure that it is really this person who asks.',
  },
  password: {
    title: (name) => `Reset the password of ${name}?`,
    verb: 'Reset and send the link',
    consequence:
      'The present password stops working at once, all sessions and API keys of this person end, and a link to choose another password is sent by mail.',
  },
  disable: {
    title: (name) => `Disable ${name}?`,
    verb: 'Disable',
    consequence:
      'Its sessions end within a second and it cannot sign in here until it is enabled again. Nothing is lost.',
  },
  remove: {
    title: (name) => `Remove ${name}?`,
    verb: 'Remove',
    consequence:
      'It loses its access here at once. The account and what is in the audit log stay, and you can invite it again.',
  },
}

const ended = ({ sessions, apiKeys }: { readonly sessions: number; readonly apiKeys: number }) =>
  `${many(sessions, 'session')} and ${many(apiKeys, 'API key')} ended`

/** The changes of a member that need no form; each says by a toast what came of it. */
export function useMemberActions(tenant: Tenant, hand: (url: string) => void) {
  const refresh = ['users', 'roles']
  const { input } = tenant
  const setStatus = useApiMutation(
    ({ user, status }: { readonly user: User; readonly status: 'active' | 'disabled' }) =>
      api.users.users.update.mutate({ id: user.id, status, ...input }),
    {
      refresh,
      done(_, { user, status }) {
        if (status === 'active') return toast(`${user.name} can sign in again`)
        toast(`${user.name} is disabled`, { undo: () => setStatus.mutate({ user, status: 'active' }) })
      },
    },
  )
  const resend = useApiMutation(
    (user: User) => api.users.invitations.resendInvite.mutate({ userId: user.id, ...input }),
    {
      refresh,
      done({ inviteUrl }, { email }) {
        if (inviteUrl) hand(inviteUrl)
        else toast(`Sent again to ${email}. The earlier link stopped working`)
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
        if (resetUrl) hand(resetUrl)
        return `${resetUrl ? '' : 'The link is sent. '}${ended(counts)}`
      }
      await api.users.users.remove.mutate(member)
      return `${user.name} is removed`
    },
    { refresh, done: (said) => toast(said) },
  )
  const refused = (error: unknown) => toast(messageOf(error), { bad: true })
  return {
    resend: (user: User) => resend.mutate(user, { onError: refused }),
    enable: (user: User) => setStatus.mutate({ user, status: 'active' }, { onError: refused }),
    confirmed: (user: User, action: MemberAction): Promise<unknown> =>
      action === 'disable' ? setStatus.mutateAsync({ user, status: 'disabled' }) : act.mutateAsync({ user, action }),
  }
}
