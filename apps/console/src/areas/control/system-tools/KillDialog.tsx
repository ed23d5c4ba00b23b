import { useState } from 'react'
import { api } from '../../../api.ts'
import { useRefresh } from '../../../queries.ts'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { SelectField } from '../../../ui/form/fields.tsx'
import type { Process } from './process.ts'

const signals = {
  TERM: 'Terminate (SIGTERM)',
  KILL: 'Force kill (SIGKILL)',
  INT: 'Interrupt (SIGINT)',
  HUP: 'Hang up; many services reload (SIGHUP)',
  STOP: 'Pause (SIGSTOP)',
  CONT: 'Resume (SIGCONT)',
} as const
type Signal = keyof typeof signals
const signalOf = (given: string): Signal => {
  const [found = 'TERM'] = Object.keys(signals).filter((each): each is Signal => each === given)
  return found
}

interface Props {
  readonly deviceId: string
  readonly process: Process
  close(): void
}

/** Sends one process a signal, if it still is the one that was seen. */
export function KillDialog({ deviceId, process, close }: Props) {
  const refresh = useRefresh()
  const [signal, setSignal] = useState<Signal>('TERM')
  const { name, pid, user, startedAt } = process
  return (
    <Confirm
      open
      danger
      close={close}
      title={`End ${name}?`}
      verb="Send signal"
      act={async () => {
        const { ended } = await api.systemTools.processes.kill.mutate({ deviceId, pid, signal, startedAt })
        toast(ended ? `${name} ended` : `Signal sent; ${name} is still running`)
        await refresh('systemTools.processes')
      }}
    >
      <div className="grid gap-3">
        <p>
          Process {pid} of {user}. Skipped if the PID was reused.
        </p>
        <SelectField label="Signal" value={signal} onChange={({ target }) => setSignal(signalOf(target.value))}>
          {Object.entries(signals).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
      </div>
    </Confirm>
  )
}
