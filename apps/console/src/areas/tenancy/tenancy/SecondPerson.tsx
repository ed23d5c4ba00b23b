import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { Badge, Card } from '../../../ui/display.tsx'
import { Failure, Loading, Refusal } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'

interface TurnOff {
  readonly requestedBy: string
  readonly requestedAt: string
  readonly endsAt: string
}

/** Whether commands that reach far wait for a second person, and how that is turned on and off. */
export function SecondPerson() {
  const mayRead = useCan()('devices:read')
  const answer = useApiQuery((client) => client.devices.approvals.required, {}, { enabled: mayRead, everyMs: 60_000 })
  const [isAsking, setAsking] = useState(false)
  const set = useApiMutation((required: boolean) => api.devices.approvals.require.mutate({ required }), {
    refresh: ['devices.approvals'],
    done({ required, turnOff }) {
      if (turnOff !== null) toast('The request is made. All administrators are told by mail')
      else toast(required ? 'A second person is asked from now on' : 'No second person is asked from now on')
    },
  })
  if (!mayRead) return null
  const rule = answer.data
  if (!rule)
    return (
      <Card title="Second person">
        {answer.error ? <Failure error={answer.error} again={() => answer.refetch()} /> : <Loading lines={2} />}
      </Card>
    )
  const { required, turnOff } = rule
  return (
    <Card title="Second person" actions={<Standing required={required} isEnding={turnOff !== null} />}>
      <div className="grid gap-3 text-sm">
        <p>
          {required
            ? 'Commands for more than 100 devices, or for several organizations, wait until a second person approves them.'
            : 'Commands are sent at once, however many devices they are for.'}
        </p>
        {turnOff && <Pending turnOff={turnOff} />}
        <Refusal error={isAsking ? null : set.error} />
        <div className="flex flex-wrap gap-2">
          {(!required || turnOff) && (
            <Button busy={set.isPending && !isAsking} onClick={() => set.mutate(true)}>
              {turnOff ? 'Withdraw the request' : 'Ask for a second person'}
            </Button>
          )}
          {required && <TurnOffButton turnOff={turnOff} open={() => setAsking(true)} />}
        </div>
      </div>
      <Confirm
        open={isAsking}
        danger
        title="Stop asking for a second person?"
        verb={turnOff ? 'Turn it off now' : 'Request it'}
        act={() => set.mutateAsync(false)}
        close={() => setAsking(false)}
      >
        {turnOff
          ? 'Another member has requested it. With your agreement it counts at once.'
          : 'It counts after 24 hours, or as soon as a second member agrees. All administrators are told by mail, and each of them can withdraw it.'}
      </Confirm>
    </Card>
  )
}

function Standing({ required, isEnding }: { readonly required: boolean; readonly isEnding: boolean }) {
  if (isEnding) return <Badge tone="warn">Turning off</Badge>
  return required ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>
}

function TurnOffButton({ turnOff, open }: { readonly turnOff: TurnOff | null; open(): void }) {
  const me = useMe()
  if (turnOff?.requestedBy === me.id) return null
  return <Button onClick={open}>{turnOff ? 'Agree and turn it off now' : 'Turn it off'}</Button>
}

/** A request to turn it off, with the time that is left to withdraw it. */
function Pending({ turnOff: { requestedBy, requestedAt, endsAt } }: { readonly turnOff: TurnOff }) {
  const me = useMe()
  const isOwn = requestedBy === me.id
  const maySee = useCan()('users:read')
  const { data } = useApiQuery((client) => client.users.users.get, { id: requestedBy }, { enabled: !isOwn && maySee })
  return (
    <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn-text">
      {isOwn ? 'You' : (data?.name ?? 'Another member')} requested on <Moment at={requestedAt} /> to turn this off. From{' '}
      <Moment at={endsAt} /> on no second person is asked, unless the request is withdrawn before.
    </p>
  )
}
