import { api } from '../../api.ts'
import { useAnswer, useChange } from '../../questions.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, Card } from '../../ui/display.tsx'
import { many } from '../../ui/quantity.ts'
import { Failure, Loading, messageOf } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'

/** The browser and system that an agent text names, roughly. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'A program'
  const [browser] = /Edg|Firefox|Chrome|Safari/.exec(userAgent) ?? []
  const [system] = /Windows|Mac OS X|Android|iPhone|Linux/.exec(userAgent) ?? []
  if (!browser) return userAgent.slice(0, 60)
  return [browser.replace('Edg', 'Edge'), system?.replace('Mac OS X', 'macOS')].filter(Boolean).join(' on ')
}

/** Where the person is signed in, with the means to end it. */
export function Sessions() {
  const answer = useAnswer((client) => client.auth.sessions.list, {})
  const refused = (error: unknown) => toast(messageOf(error), { bad: true })
  const end = useChange((id: string) => api.auth.sessions.revoke.mutate({ id }), {
    refresh: ['auth.sessions.list'],
    done: () => toast('The session is ended'),
  })
  const endOthers = useChange(() => api.auth.sessions.revokeOthers.mutate({}), {
    refresh: ['auth.sessions.list'],
    done: ({ ended }) => toast(`${many(ended, 'session is', 'sessions are')} ended`),
  })
  const sessions = answer.data?.data
  const others = sessions?.filter(({ current }) => !current).length ?? 0
  return (
    <Card
      flush
      title="Where you are signed in"
      actions={
        <Button
          small
          blocked={others === 0 && 'This is the only one'}
          busy={endOthers.isPending}
          onClick={() => endOthers.mutate(undefined, { onError: refused })}
        >
          End all others
        </Button>
      }
    >
      {sessions === undefined ? (
        answer.error ? (
          <Failure error={answer.error} again={() => answer.refetch()} />
        ) : (
          <Loading lines={3} />
        )
      ) : (
        <ul>
          {sessions.map(({ id, current, userAgent, ipAddress, method, lastUsedAt }) => (
            <li key={id} className="flex items-center gap-3 border-line border-b px-4 py-2.5 text-sm last:border-0">
              <span className="min-w-0 flex-1">
                <span className="font-medium">{browserOf(userAgent)}</span>{' '}
                <span className="text-muted">
                  {ipAddress ?? 'address unknown'} · by {method} · used <Ago at={lastUsedAt} />
                </span>
              </span>
              {current ? (
                <Badge tone="good">This one</Badge>
              ) : (
                <Button small kind="quiet" onClick={() => end.mutate(id, { onError: refused })}>
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
