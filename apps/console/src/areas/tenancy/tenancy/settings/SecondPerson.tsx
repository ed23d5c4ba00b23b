import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../../queries.ts'
import { useCan, useMe } from '../../../../session/session.tsx'
import { Button } from '../../../../ui/button/Button.tsx'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { Badge, Card } from '../../../../ui/page/display.tsx'
import { Failure, Loading, Refusal } from '../../../../ui/page/states.tsx'
import { Moment } from '../../../../ui/text/time.tsx'

interface TurnOff {
  readonly requestedBy: string
  readonly requestedAt: string
  readonly endsAt: string
}

/** The rule that large commands need the approval of a second person, and its switch. */
export function SecondPerson() {
  const mayRead = useCan()('devices:read')
  const answer = useApiQuery((client) => client.devices.approvals.required, {}, { enabled: mayRead, everyMs: 60_000 })
  const [isAsking, setAsking] = useState(false)
  const set = useApiMutation((required: boolean) => api.devices.approvals.require.mutate({ required }), {
    refresh: ['devices.approvals'],
    done({ required, turnOff }) {
      if (turnOff !== null) toast('Request sent. All administrators get an email')
      else toast(required ? 'Approval turned on' : 'Approval turned off')
    },
  })
  if (!mayRead) return null
  const rule = answer.data
  if (!rule)
    return (
      <Card title="Approval by a second person">
        {answer.error ? <Failure error={answer.error} again={() => answer.refetch()} /> : <Loading lines={2} />}
      </Card>
    )
  const { required, turnOff } = rule
  return (
    <Card title="Approval by a second person" actions={<Standing required={required} isEnding={turnOff !== null} />}>
      <div className="grid gap-3 text-sm">
        <p>
          {required
            ? 'Commands for more than 100 devices, or for several organizations, need the approval of a second person.'
            : 'Commands run without approval, also on many devices.'}
        </p>
        {turnOff && <Pending turnOff={turnOff} />}
        <Refusal error={isAsking ? null : set.error} />
        <div className="flex flex-wrap gap-2">
          {(!required || turnOff) && (
            <Button busy={set.isPending && !isAsking} onClick={() => set.mutate(true)}>
              {turnOff ? 'Withdraw request' : 'Require approval'}
            </Button>
          )}
          {required && <TurnOffButton turnOff={turnOff} open={() => setAsking(true)} />}
        </div>
      </div>
      <Confirm
        open={isAsking}
        danger
        title="Turn off approval?"
        verb={turnOff ? 'Turn off approval' : 'Send request'}
        act={() => set.mutateAsync(false)}
        close={() => setAsking(false)}
      >
        {turnOff
          ? 'Another administrator requested this. With your approval it applies immediately.'
          : 'It applies after 24 hours, or as soon as a second administrator approves. All administrators get an email, and each of them can withdraw the request.'}
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
  return <Button onClick={open}>{turnOff ? 'Approve and turn off' : 'Turn off approval'}</Button>
}

/** The request to turn the rule off, which can be withdrawn until it applies. */
function Pending({ turnOff: { requestedBy, requestedAt, endsAt } }: { readonly turnOff: TurnOff }) {
  const me = useMe()
  const isOwn = requestedBy === me.id
  const maySee = useCan()('users:read')
  const { data } = useApiQuery((client) => client.users.users.get, { id: requestedBy }, { enabled: !isOwn && maySee })
  return (
    <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn-text">
      {isOwn ? 'You' : (data?.name ?? 'Another member')} requested to turn this off on <Moment at={requestedAt} />. The
      request applies on <Moment at={endsAt} /> unless it is withdrawn.
    </p>
  )
}
