import { CommandStatus, QueuedCommand } from '@muster/areas/control/commands/commands.contract.ts'
import { hasEnded } from '@muster/areas/control/commands/commands.rules.ts'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { api } from '../../../api.ts'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { DataTable } from '../../../ui/DataTable.tsx'
import { Details, Verbatim } from '../../../ui/Details.tsx'
import { Facts } from '../../../ui/display.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { RowButton } from '../../../ui/RowButton.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Note, Refusal } from '../../../ui/states.tsx'
import { Ago, Moment } from '../../../ui/time.tsx'
import { CommandMark, commandStatusWords, commandWords } from './CommandMark.tsx'

const limit = 25
/** The codes with which agents refuse commands that are not signed as they must be. */
const refusedOrder = /^ORDER_/

/** What the device was told to do, and what came of it. */
export function CommandsTab({ device: { id: deviceId } }: { readonly device: Device }) {
  const { page = 1, command, state, kind } = useSearch({ from: '/app/devices/$deviceId' })
  const status = CommandStatus.options.find((each) => each === state)
  const type = QueuedCommand.options.find((each) => each === kind)
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const narrow = (next: { state?: string | undefined; kind?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, command: id }) })
  const answer = useApiQuery(
    (client) => client.devices.commands.list,
    { id: deviceId, page, limit, ...(status && { status: [status] }), ...(type && { type }) },
    { keepLast: true },
  )
  useRefreshOn((event) => event.type === 'command.changed' && event.deviceId === deviceId, ['devices.commands'], 500)
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <Select
          label="Status"
          none="Every status"
          value={status ?? ''}
          options={CommandStatus.options.map((each) => [each, commandStatusWords[each]])}
          choose={(next) => narrow({ state: next })}
        />
        <Select
          label="Kind of command"
          none="Every command"
          value={type ?? ''}
          options={QueuedCommand.options.map((each) => [each, commandWords(each)])}
          choose={(next) => narrow({ kind: next })}
        />
      </div>
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
            cell: ({ id, type }) => <RowButton open={() => open(id)}>{commandWords(type)}</RowButton>,
          },
          { id: 'status', header: 'Status', width: 110, cell: ({ status }) => <CommandMark status={status} /> },
          { id: 'exit', header: 'Exit code', width: 90, align: 'end', cell: ({ exitCode }) => exitCode ?? '–' },
          { id: 'error', header: 'Reason', width: 200, grow: 2, cell: ({ error }) => error ?? '' },
          { id: 'created', header: 'Given', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
          { id: 'finished', header: 'Ended', width: 120, cell: ({ finishedAt }) => <Ago at={finishedAt} never="–" /> },
        ]}
        empty={
          <Note icon={SquareTerminal} title={status || type ? 'No command matches' : 'No commands yet'}>
            {status || type
              ? 'Choose another status or kind.'
              : 'What you tell the device to do is listed here, with its output.'}
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
    </>
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
  const answer = useApiQuery((client) => client.devices.commands.get, { id: deviceId, commandId })
  const cancel = useApiMutation(() => api.devices.commands.cancel.mutate({ id: deviceId, commandId }), {
    refresh: ['devices.commands'],
  })
  const command = answer.data
  return (
    <Details
      answer={answer}
      title={command ? commandWords(command.type) : 'Command'}
      close={close}
      actions={
        command &&
        !hasEnded(command.status) && (
          <Button kind="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Call it off
          </Button>
        )
      }
    >
      {(command) => (
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
          {refusedOrder.test(command.error ?? '') && (
            <p className="rounded-md bg-bad-soft px-3 py-2 text-bad-text text-sm">
              The agent refused this command and did not run it. Tell an administrator at once: another party may be
              sending commands.
            </p>
          )}
          {command.payload === null && <p>You need the permission of this command to see its content and output.</p>}
          {typeof command.payload?.script === 'string' && <Verbatim label="Script" text={command.payload.script} />}
          {command.stdout && <Verbatim label="Output" text={command.stdout} />}
          {command.stderr && <Verbatim label="Errors" text={command.stderr} />}
          <Refusal error={cancel.error} />
        </div>
      )}
    </Details>
  )
}
