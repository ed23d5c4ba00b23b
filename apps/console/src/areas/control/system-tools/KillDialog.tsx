import { useState } from 'react'
import { api } from '../../../api.ts'
import { useRefresh } from '../../../queries.ts'
import { Confirm } from '../../../ui/Confirm.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { toast } from '../../../ui/toasts.tsx'
import type { Process } from './ProcessesTab.tsx'

const signals = {
  TERM: 'Ask it to end (TERM)',
  KILL: 'End it at once, unsaved work is lost (KILL)',
  INT: 'Interrupt it (INT)',
  HUP: 'Hang up; many services read their settings anew (HUP)',
  STOP: 'Hold it still (STOP)',
  CONT: 'Let it go on (CONT)',
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
      verb="Send the signal"
      act={async () => {
        const { ended } = await api.systemTools.processes.kill.mutate({ deviceId, pid, signal, startedAt })
        toast(ended ? `${name} has ended` : `${name} was told, and still runs`)
        await refresh('systemTools.processes')
      }}
    >
      <div className="grid gap-3">
        <p>
          Process {pid} of {user}. It is refused when that number belongs to another process by now.
        </p>
        <SelectField label="How" value={signal} onChange={({ target }) => setSignal(signalOf(target.value))}>
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
