import { QueuedCommand } from '@muster/areas/control/commands/commands.contract.ts'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { useRefreshOn } from '../../../live/Live.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { useUserNames } from '../../access/users/useUserNames.ts'
import { CommandDialog } from './CommandDialog.tsx'
import { CommandMark, commandWords } from './CommandMark.tsx'
import { CommandStatusSelect, commandStatusOf } from './CommandStatusSelect.tsx'

/** The commands of a device and their results. */
export function CommandsTab({ device: { id: deviceId, orgId } }: { readonly device: Device }) {
  const nameOf = useUserNames(orgId)
  const { command, state, kind } = useSearch({ from: '/app/devices/$deviceId' })
  const status = commandStatusOf(state)
  const type = QueuedCommand.options.find((each) => each === kind)
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const narrow = (next: { state?: string | undefined; kind?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, command: id }) })
  const list = useList(
    (client) => client.devices.commands.list,
    { id: deviceId, ...(status && { status: [status] }), ...(type && { type }) },
    { limit: 25 },
  )
  useRefreshOn((event) => event.type === 'command.changed' && event.deviceId === deviceId, ['devices.commands'], 500)
  return (
    <>
      <Tools>
        <CommandStatusSelect status={status} choose={(next) => narrow({ state: next })} />
        <Select
          label="Command type"
          none="All commands"
          value={type}
          options={QueuedCommand.options.map((each) => [each, commandWords(each)])}
          choose={(next) => narrow({ kind: next })}
        />
      </Tools>
      <ListTable
        label="Commands"
        list={list}
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
          { id: 'by', header: 'Sent by', width: 140, grow: 1, cell: ({ createdBy }) => nameOf(createdBy) },
          { id: 'created', header: 'Created', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
          {
            id: 'finished',
            header: 'Finished',
            width: 120,
            cell: ({ finishedAt }) => <Ago at={finishedAt} never="–" />,
          },
        ]}
        empty={
          <NoRows
            icon={SquareTerminal}
            title="No commands yet"
            clear={(status ?? type) && (() => narrow({ state: undefined, kind: undefined }))}
          >
            Commands for this device appear here, with their output.
          </NoRows>
        }
      />
      {command && <CommandDialog deviceId={deviceId} commandId={command} close={() => open(undefined)} />}
    </>
  )
}
