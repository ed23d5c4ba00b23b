import type { CommandSummary } from '@muster/areas/devices/commands.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { api } from '../../api.ts'
import { useRefreshOn } from '../../live/Live.tsx'
import { useAnswer, useChange } from '../../questions.ts'
import { Button } from '../../ui/Button.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Badge, Facts, type Tone } from '../../ui/display.tsx'
import { Pages } from '../../ui/Pages.tsx'
import { Failure, Loading, Note, Refusal } from '../../ui/states.tsx'
import { Ago, Moment } from '../../ui/time.tsx'

type Status = CommandSummary['status']
const tones: Record<Status, Tone> = {
  pending: 'plain',
  sent: 'info',
  running: 'info',
  completed: 'good',
  failed: 'bad',
  timed_out: 'bad',
  cancelled: 'warn',
  expired: 'warn',
}
const statusWords: Record<Status, string> = {
  pending: 'Waiting',
  sent: 'Sent',
  running: 'Running',
  completed: 'Done',
  failed: 'Failed',
  timed_out: 'Timed out',
  cancelled: 'Called off',
  expired: 'Expired',
}
const openStatuses: readonly Status[] = ['pending', 'sent', 'running']

export const CommandMark = ({ status }: { status: Status }) => <Badge tone={tones[status]}>{statusWords[status]}</Badge>
export const commandWords = (type: string) => (type.charAt(0).toUpperCase() + type.slice(1)).replaceAll('_', ' ')
const limit = 25

/** What the device was told to do, and what came of it. */
export function CommandsTab({ deviceId }: { readonly deviceId: string }) {
  const { page = 1, command } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, command: id }) })
  const answer = useAnswer((client) => client.devices.commands.list, { id: deviceId, page, limit }, { keepLast: true })
  useRefreshOn((event) => event.type === 'command.changed' && event.deviceId === deviceId, ['devices.commands'], 500)
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <div className="flex max-h-[70vh] flex-col">
      <DataTable
        label="Commands"
        rows={rows}
        answer={answer}
        total={pagination.total}
        rowId={({ id }) => id}
        columns={[
          {
            id: 'type',
            header: 'Command',
            width: 180,
            grow: 1,
            cell: ({ id, type }) => (
              <button type="button" className="rounded font-medium hover:text-accent-text" onClick={() => open(id)}>
                {commandWords(type)}
              </button>
            ),
          },
          { id: 'status', header: 'Status', width: 110, cell: ({ status }) => <CommandMark status={status} /> },
          { id: 'exit', header: 'Exit code', width: 90, align: 'end', cell: ({ exitCode }) => exitCode ?? '–' },
          { id: 'error', header: 'Reason', width: 200, grow: 2, cell: ({ error }) => error ?? '' },
          { id: 'created', header: 'Given', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
          { id: 'finished', header: 'Ended', width: 120, cell: ({ finishedAt }) => <Ago at={finishedAt} never="–" /> },
        ]}
        empty={
          <Note icon={SquareTerminal} title="No commands yet">
            What you tell the device to do is listed here, with its output.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {command && <CommandDialog deviceId={deviceId} commandId={command} close={() => open(undefined)} />}
    </div>
  )
}

function CommandDialog({
  deviceId,
  commandId,
  close,
}: {
  readonly deviceId: string
  readonly commandId: string
  close(): void
}) {
  const answer = useAnswer((client) => client.devices.commands.get, { id: deviceId, commandId })
  const cancel = useChange(() => api.devices.commands.cancel.mutate({ id: deviceId, commandId }), {
    refresh: ['devices.commands'],
  })
  const command = answer.data
  const script = command?.payload.script
  return (
    <Dialog
      open
      wide
      title={command ? commandWords(command.type) : 'Command'}
      close={close}
      actions={
        command &&
        openStatuses.includes(command.status) && (
          <Button kind="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Call it off
          </Button>
        )
      }
    >
      {!command ? (
        answer.error ? (
          <Failure error={answer.error} again={() => answer.refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <div className="grid gap-4">
          <Facts
            facts={[
              ['Status', <CommandMark key="status" status={command.status} />],
              ['Given', <Moment key="given" at={command.createdAt} />],
              ['Started', <Moment key="started" at={command.startedAt} never="not yet" />],
              ['Ended', <Moment key="ended" at={command.finishedAt} never="not yet" />],
              ['Exit code', command.exitCode ?? '–'],
              ...(command.error ? [['Reason', command.error] as const] : []),
            ]}
          />
          {typeof script === 'string' && <Output label="Script" text={script} />}
          {command.stdout && <Output label="Output" text={command.stdout} />}
          {command.stderr && <Output label="Errors" text={command.stderr} />}
          <Refusal error={cancel.error} />
        </div>
      )}
    </Dialog>
  )
}

const Output = ({ label, text }: { label: string; text: string }) => (
  <section className="grid gap-1">
    <h3 className="font-medium text-sm">{label}</h3>
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className="max-h-72 overflow-auto whitespace-pre-wrap rounded-md bg-sunken p-3 font-mono text-sm"
    >
      {text}
    </pre>
  </section>
)
