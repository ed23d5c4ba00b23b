import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'

const limit = 25

interface Props {
  readonly providerId: string
  readonly blocked: string | undefined
}

/** The users who are linked to the provider. */
export function Identities({ providerId, blocked }: Props) {
  const [shown, setShown] = useState(limit)
  const answer = useApiQuery(
    (client) => client.sso.providers.identities,
    { id: providerId, limit: shown },
    { keepLast: true },
  )
  const [leaving, setLeaving] = useState<{ readonly id: string; readonly email: string } | null>(null)
  const unlink = useApiMutation(
    (identityId: string) => api.sso.providers.unlink.mutate({ id: providerId, identityId }),
    {
      refresh: ['sso'],
      done: () => toast('User unlinked'),
    },
  )
  const people = answer.data?.data
  const total = answer.data?.pagination.total ?? 0
  return (
    <Card flush title="Linked users" actions={<span className="text-muted text-sm">{many(total, 'user')}</span>}>
      {people === undefined ? (
        <Pending answer={answer} lines={3} />
      ) : people.length === 0 ? (
        <p className="p-4 text-muted text-sm">
          No linked users yet. Users appear here after their first sign-in through this provider.
        </p>
      ) : (
        <ul>
          {people.map(({ id, email, lastLoginAt }) => (
            <li key={id} className="flex items-center gap-3 border-line border-b px-4 py-2 text-sm last:border-0">
              <span className="min-w-0 flex-1 truncate">
                <span className="font-medium">{email}</span>{' '}
                <span className="text-muted">
                  last sign-in <Ago at={lastLoginAt} />
                </span>
              </span>
              <Button small kind="quiet" blocked={blocked} onClick={() => setLeaving({ id, email })}>
                Unlink user
              </Button>
            </li>
          ))}
          {total > people.length && (
            <li className="px-4 py-2">
              <Button small onClick={() => setShown(Math.min(100, shown + limit))}>
                Show more
              </Button>
            </li>
          )}
        </ul>
      )}
      <Confirm
        danger
        open={leaving !== null}
        close={() => setLeaving(null)}
        title={`Unlink ${leaving?.email ?? ''}?`}
        verb="Unlink user"
        act={() => unlink.mutateAsync(leaving?.id ?? '')}
      >
        Their sessions through this provider end. The next sign-in links their account again by email address.
      </Confirm>
    </Card>
  )
}
