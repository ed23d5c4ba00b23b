import { OctagonX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { AreaField, TextField } from '../../../ui/fields.tsx'
import { SideForm } from '../../../ui/SideForm.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'

const useStops = () => useApiQuery((client) => client.devices.stops.get, {}, { everyMs: 15_000, staleMs: 10_000 })

/** Says on every screen of the fleet that commands are stopped, by whom and why, and lets those lift it who may. */
export function CommandStopBanner() {
  const { scope } = useMe()
  const can = useCan()
  const { data } = useStops()
  const [isLifting, setLifting] = useState(false)
  const stop = data?.stops[0]
  if (!data?.stopped || !stop) return null
  const blocked =
    (!can('devices:execute') && 'You need the permission to send commands') ||
    (stop.byScope === 'system' && scope !== 'system' && 'The operator of the installation has set it') ||
    (scope === 'organization' && 'Only people of the provider lift it')
  return (
    <section
      aria-label="Commands are stopped"
      className="flex flex-wrap items-center gap-3 border-bad border-b bg-bad-soft px-6 py-2 text-bad-text text-sm"
    >
      <OctagonX aria-hidden className="size-4 shrink-0" />
      <p role="status" className="min-w-0 flex-1">
        <span className="font-semibold">All commands are stopped</span> <Ago at={stop.at} />: {stop.reason}. What waits
        goes out once they are allowed again.
      </p>
      <Button small blocked={blocked} onClick={() => setLifting(true)}>
        Allow commands again
      </Button>
      {isLifting && <LiftForm close={() => setLifting(false)} />}
    </section>
  )
}

/** The switch that stops every command. */
export function CommandStopButton() {
  const { scope } = useMe()
  const { data } = useStops()
  const [isAsking, setAsking] = useState(false)
  const blocked =
    (!useCan()('devices:execute') && 'You need the permission to send commands') ||
    (scope === 'organization' && 'Only people of the provider can stop all commands') ||
    (data?.stopped && 'Commands are stopped already')
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

const everybody = 'installation'

function StopForm({ close }: { close(): void }) {
  const isSystem = useMe().scope === 'system'
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const stop = useApiMutation(
    () => api.devices.stops.set.mutate({ reason: reason.trim(), ...(isSystem && { confirm: everybody }) }),
    {
      refresh: ['devices'],
      done: () => {
        toast('All commands are stopped')
        close()
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    stop.mutate(undefined)
  }
  return (
    <SideForm
      open
      close={close}
      title="Stop all commands"
      description={`No command reaches ${isSystem ? 'any device of the installation' : 'any of your devices'} any more, within seconds. What waits stays waiting; what a device has begun goes on.`}
      verb="Stop them"
      busy={stop.isPending}
      blocked={
        (reason.trim() === '' && 'Say why first: others will read it') ||
        (isSystem && typed.trim() !== everybody && `Type “${everybody}” first`)
      }
      error={stop.error}
      submit={submit}
    >
      <AreaField autoFocus label="Why" value={reason} onChange={({ target }) => setReason(target.value)} />
      {isSystem && (
        <TextField
          label={`Type “${everybody}”: this is for everybody`}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </SideForm>
  )
}

function LiftForm({ close }: { close(): void }) {
  const lift = useApiMutation(() => api.devices.stops.lift.mutate({}), {
    refresh: ['devices'],
    done: () => {
      toast('Commands are allowed again')
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    lift.mutate(undefined)
  }
  return (
    <SideForm
      open
      close={close}
      title="Allow commands again"
      description="What waits goes out at once, as far as it has not expired."
      verb="Allow them"
      busy={lift.isPending}
      error={lift.error}
      submit={submit}
    />
  )
}
