import { OctagonX } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { ReasonForm } from '../../../ui/dialog/ReasonForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Ago } from '../../../ui/text/time.tsx'

/** Shows whether all updates are stopped, with the switch. */
export function EmergencyStop() {
  const { data: stop } = useApiQuery((client) => client.rollouts.stop.get, {}, { everyMs: 10_000 })
  const refresh = useRefresh()
  const blocked = !useCan()('settings:write') && 'You don’t have permission to edit settings'
  const [asking, setAsking] = useState<'stop' | 'resume' | null>(null)
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
          <span className="text-muted">Updates are on. The emergency stop ends all offers within seconds.</span>
        )}
      </p>
      {stop.stopped ? (
        <Button small blocked={blocked} onClick={() => setAsking('resume')}>
          Resume updates
        </Button>
      ) : (
        <Button small blocked={blocked} onClick={() => setAsking('stop')}>
          Stop all updates
        </Button>
      )}
      {asking === 'stop' && <StopForm close={() => setAsking(null)} />}
      <Confirm
        open={asking === 'resume'}
        close={() => setAsking(null)}
        title="Resume updates?"
        verb="Resume updates"
        act={async () => {
          await api.rollouts.stop.lift.mutate({})
          toast('Updates resumed')
          await refresh('rollouts')
        }}
      >
        Running rollouts continue in their current stage.
      </Confirm>
    </section>
  )
}

function StopForm({ close }: { close(): void }) {
  const stop = useApiMutation((reason: string) => api.rollouts.stop.set.mutate({ reason }), {
    refresh: ['rollouts'],
    done: () => {
      toast('All updates stopped')
      close()
    },
  })
  return (
    <ReasonForm
      title="Stop all updates"
      description="No device is offered a version until you resume updates. Updates that already started continue."
      verb="Stop all updates"
      hint="Shown to users whose devices are not updated."
      busy={stop.isPending}
      error={stop.error}
      submit={stop.mutate}
      close={close}
    />
  )
}
