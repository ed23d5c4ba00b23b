import { OctagonX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { AreaField } from '../../../ui/fields.tsx'
import { SideForm } from '../../../ui/SideForm.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'

/** Whether updates are stopped everywhere, and the switch for it. */
export function EmergencyStop() {
  const { data: stop } = useApiQuery((client) => client.rollouts.stop.get, {}, { everyMs: 10_000 })
  const refresh = useRefresh()
  const blocked = !useCan()('settings:write') && 'You need the permission to change settings'
  const [asking, setAsking] = useState<'stop' | 'allow' | null>(null)
  if (!stop) return null
  return (
    <section
      aria-label="Emergency stop"
      className={`mb-4 flex flex-wrap items-center gap-3 rounded-lg px-4 py-2.5 text-sm ${stop.stopped ? 'bg-bad-soft text-bad-text' : 'border border-line bg-surface'}`}
    >
      <OctagonX aria-hidden className={`size-4 shrink-0 ${stop.stopped ? '' : 'text-muted'}`} />
      <p role="status" className="min-w-0 flex-1">
        {stop.stopped ? (
          <>
            <span className="font-semibold">All updates are stopped</span> <Ago at={stop.at} />: {stop.reason}
          </>
        ) : (
          <span className="text-muted">Updates are allowed. The emergency stop ends all offers within seconds.</span>
        )}
      </p>
      {stop.stopped ? (
        <Button small blocked={blocked} onClick={() => setAsking('allow')}>
          Allow updates again
        </Button>
      ) : (
        <Button small blocked={blocked} onClick={() => setAsking('stop')}>
          Stop all updates
        </Button>
      )}
      {asking === 'stop' && <StopForm close={() => setAsking(null)} />}
      <Confirm
        open={asking === 'allow'}
        close={() => setAsking(null)}
        title="Allow updates again?"
        verb="Allow updates"
        act={async () => {
          await api.rollouts.stop.lift.mutate({})
          toast('Updates are allowed again')
          await refresh('rollouts')
        }}
      >
        Rollouts that were running go on at once, where they were.
      </Confirm>
    </section>
  )
}

function StopForm({ close }: { close(): void }) {
  const [reason, setReason] = useState('')
  const stop = useApiMutation(() => api.rollouts.stop.set.mutate({ reason: reason.trim() }), {
    refresh: ['rollouts'],
    done: () => {
      toast('All updates are stopped')
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    stop.mutate(undefined)
  }
  return (
    <SideForm
      open
      close={close}
      title="Stop all updates"
      description="No device anywhere is offered a version, whatever is under way. Devices that have begun already go on."
      verb="Stop them"
      busy={stop.isPending}
      blocked={reason.trim() === '' && 'Say why first: others will read it'}
      error={stop.error}
      submit={submit}
    >
      <AreaField
        autoFocus
        label="Why"
        hint="Shown to everybody who asks why a device is not updated."
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </SideForm>
  )
}
