import { type CommandStatus, CommandStatus as statuses } from '@muster/areas/control/commands/commands.contract.ts'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery } from '../../../queries.ts'
import { IconButton } from '../../../ui/button/Button.tsx'
import { messageOf } from '../../../ui/page/states.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { commandStatusWords, commandWords } from './CommandMark.tsx'

const tones: Readonly<Record<CommandStatus, string>> = {
  pending: 'bg-line',
  sent: 'bg-line-strong',
  running: 'bg-accent',
  completed: 'bg-good',
  failed: 'bg-bad',
  timed_out: 'bg-bad',
  cancelled: 'bg-warn',
  expired: 'bg-warn',
}

/** The progress of a bulk command. The address names it, so a reload finds it again. */
export function BatchProgress({ batchId, close }: { readonly batchId: string | undefined; close(): void }) {
  return batchId === undefined ? null : <Progress key={batchId} batchId={batchId} close={close} />
}

function Progress({ batchId, close }: { readonly batchId: string; close(): void }) {
  const [isOver, setOver] = useState(false)
  const { data, error } = useApiQuery(
    (api) => api.devices.commands.progress,
    { batchId, limit: 1 },
    { everyMs: isOver ? 0 : 5_000 },
  )
  useRefreshOn((event) => event.type === 'command.changed', ['devices.commands.progress'], 1_000)
  if (data && data.ended >= data.total && !isOver) setOver(true)
  const parts = statuses.options.flatMap((status) => {
    const number = data?.byStatus[status] ?? 0
    return number > 0 ? [{ status, number }] : []
  })
  return (
    <section
      aria-label="Command progress"
      className="mb-3 grid gap-1.5 rounded-lg border border-line bg-surface px-3 py-2 text-sm"
    >
      <div className="flex items-center gap-3">
        <span className="font-medium">{data ? commandWords(data.type) : 'Commands'}</span>
        <span role="status" className="flex-1 text-muted tabular">
          {error
            ? messageOf(error)
            : data
              ? `${count(data.ended)} of ${many(data.total, 'device')} finished: ${parts.map(({ status, number }) => `${count(number)} ${commandStatusWords[status].toLowerCase()}`).join(', ')}`
              : 'Loading'}
        </span>
        <Link to="/runs/$batchId" params={{ batchId }} className="rounded font-medium text-accent-text">
          View results
        </Link>
        <IconButton small label="Hide progress" onClick={close}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
      {data && (
        <div aria-hidden className="flex h-1.5 overflow-hidden rounded-full bg-sunken">
          {parts.map(({ status, number }) => (
            <span key={status} className={tones[status]} style={{ width: `${(100 * number) / data.total}%` }} />
          ))}
        </div>
      )}
    </section>
  )
}
