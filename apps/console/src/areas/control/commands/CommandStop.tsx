import { OctagonX } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useRefresh } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { ReasonForm } from '../../../ui/dialog/ReasonForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Ago } from '../../../ui/text/time.tsx'

const useStops = () => useApiQuery((client) => client.devices.stops.get, {}, { everyMs: 15_000, staleMs: 10_000 })

/** Shows on all screens that commands are stopped and why, and resumes them. */
export function CommandStopBanner() {
  const { scope } = useMe()
  const can = useCan()
  const { data } = useStops()
  const [isLifting, setLifting] = useState(false)
  const refresh = useRefresh()
  const stop = data?.stops[0]
  if (!data?.stopped || !stop) return null
  const blocked =
    (!can('devices:execute') && 'You don’t have permission to send commands') ||
    (stop.byScope === 'system' && scope !== 'system' && 'Only system administrators can resume them') ||
    (scope === 'organization' && 'Only your provider can resume them')
  return (
    <section
      aria-label="Commands are stopped"
      className="flex flex-wrap items-center gap-3 border-bad border-b bg-bad-soft px-6 py-2 text-bad-text text-sm"
    >
      <OctagonX aria-hidden className="size-4 shrink-0" />
      <p role="status" className="min-w-0 flex-1">
        <span className="font-semibold">All commands are stopped</span> <Ago at={stop.at} />: {stop.reason}. Queued
        commands are sent when commands resume.
      </p>
      <Button small blocked={blocked} onClick={() => setLifting(true)}>
        Resume commands
      </Button>
      <Confirm
        open={isLifting}
        close={() => setLifting(false)}
        title="Resume commands?"
        verb="Resume commands"
        act={async () => {
          await api.devices.stops.lift.mutate({})
          toast('Commands resumed')
          await refresh('devices')
        }}
      >
        Queued commands are sent at once, unless they have expired.
      </Confirm>
    </section>
  )
}

/** The button that stops all commands. */
export function CommandStopButton() {
  const { scope } = useMe()
  const { data } = useStops()
  const [isAsking, setAsking] = useState(false)
  const blocked =
    (!useCan()('devices:execute') && 'You don’t have permission to send commands') ||
    (scope === 'organization' && 'Only your provider can stop all commands') ||
    (data?.stopped && 'Commands are already stopped')
  return (
    <>
      <Button blocked={blocked} onClick={() => setAsking(true)}>
        <OctagonX aria-hidden className="size-4" />
        Stop all commands
      </Button>
      {isAsking && <StopForm close={() => setAsking(false)} />}
    </>
  )
}

const installation = 'installation'

function StopForm({ close }: { close(): void }) {
  const isSystem = useMe().scope === 'system'
  const [typed, setTyped] = useState('')
  const stop = useApiMutation(
    (reason: string) => api.devices.stops.set.mutate({ reason, ...(isSystem && { confirm: installation }) }),
    {
      refresh: ['devices'],
      done: () => {
        toast('All commands stopped')
        close()
      },
    },
  )
  return (
    <ReasonForm
      title="Stop all commands"
      description={`Within seconds, no command reaches ${isSystem ? 'any device of this installation' : 'any of your devices'}. Queued commands stay queued; commands that run on a device continue.`}
      verb="Stop all commands"
      busy={stop.isPending}
      blocked={isSystem && typed.trim() !== installation && `Type “${installation}” first`}
      error={stop.error}
      submit={stop.mutate}
      close={close}
    >
      {isSystem && (
        <TextField
          label={`Type “${installation}” to confirm: it affects all partners`}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </ReasonForm>
  )
}
