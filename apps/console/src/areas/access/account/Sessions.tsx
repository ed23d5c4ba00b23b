import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckField } from '../../../ui/form/fields.tsx'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Pending, toastError } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'

/** The browser and system that a user agent names, roughly. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'Program'
  const [browser] = /Edg|Firefox|Chrome|Safari/.exec(userAgent) ?? []
  const [system] = /Windows|Mac OS X|Android|iPhone|Linux/.exec(userAgent) ?? []
  if (!browser) return userAgent.slice(0, 60)
  return [browser.replace('Edg', 'Edge'), system?.replace('Mac OS X', 'macOS')].filter(Boolean).join(' on ')
}

/** The active sessions of the user. */
export function Sessions() {
  const answer = useApiQuery((client) => client.auth.sessions.list, {})
  const end = useApiMutation((id: string) => api.auth.sessions.revoke.mutate({ id }), {
    refresh: ['auth.sessions.list'],
    done: () => toast('Session ended'),
  })
  const [isLeaving, setLeaving] = useState(false)
  const sessions = answer.data?.data
  return (
    <Card
      flush
      title="Active sessions"
      actions={
        <Button small onClick={() => setLeaving(true)}>
          Sign out everywhere else
        </Button>
      }
    >
      {sessions === undefined ? (
        <Pending answer={answer} lines={3} />
      ) : (
        <ul>
          {sessions.map(({ id, current, userAgent, ipAddress, method, lastUsedAt }) => (
            <li key={id} className="flex items-center gap-3 border-line border-b px-4 py-2.5 text-sm last:border-0">
              <span className="min-w-0 flex-1">
                <span className="font-medium">{browserOf(userAgent)}</span>{' '}
                <span className="text-muted">
                  {ipAddress ?? 'unknown address'} · by {method} · used <Ago at={lastUsedAt} />
                </span>
              </span>
              {current ? (
                <Badge tone="good">This session</Badge>
              ) : (
                <Button small kind="quiet" onClick={() => end.mutate(id, { onError: toastError })}>
                  End session
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isLeaving && <SignOutElsewhere close={() => setLeaving(false)} />}
    </Card>
  )
}

/** Ends all other sessions and, unless the user keeps them, revokes the API keys. */
function SignOutElsewhere({ close }: { close(): void }) {
  const [keepApiKeys, setKeep] = useState(false)
  const end = useApiMutation(() => api.auth.sessions.revokeOthers.mutate({ keepApiKeys }), {
    refresh: ['auth.sessions.list', 'apiKeys'],
    done: ({ ended }) =>
      toast(
        `${many(ended, 'session')} ended. ${keepApiKeys ? 'Your API keys still work' : 'Your API keys were revoked'}`,
      ),
  })
  return (
    <Confirm
      open
      danger
      title="Sign out everywhere else?"
      verb="Sign out"
      act={() => end.mutateAsync(undefined)}
      close={close}
    >
      <div className="grid gap-3">
        <p>All your other sessions end. Your API keys are revoked too, and programs that use them stop working.</p>
        <CheckField
          label="Keep my API keys"
          hint="Only if you are sure that they did not leak."
          checked={keepApiKeys}
          onChange={setKeep}
        />
      </div>
    </Confirm>
  )
}
