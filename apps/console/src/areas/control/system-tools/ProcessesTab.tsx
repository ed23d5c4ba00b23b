import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Cpu, Pause, Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { api } from '../../../api.ts'
import { useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Details, Verbatim } from '../../../ui/dialog/Details.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Facts } from '../../../ui/page/display.tsx'
import { Note } from '../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../ui/table/DataTable.tsx'
import { sorted } from '../../../ui/table/sorted.ts'
import { bytes, count, many, memory } from '../../../ui/text/quantity.ts'
import { Ago, Moment } from '../../../ui/text/time.tsx'
import { useDeviceSearch, useDeviceSorting } from '../../fleet/devices/deviceSearch.ts'
import { KillDialog } from './KillDialog.tsx'
import { Reachable, useObstacle } from './obstacle.tsx'
import type { Process } from './process.ts'

const everyMs = 3_000
const none: readonly Process[] = []
const values: Readonly<Record<string, (process: Process) => string | number>> = {
  name: ({ name }) => name.toLowerCase(),
  pid: ({ pid }) => pid,
  user: ({ user }) => user,
  cpu: ({ cpuPercent }) => cpuPercent,
  memory: ({ memoryBytes }) => memoryBytes,
  threads: ({ threads }) => threads,
  started: ({ startedAt }) => startedAt,
}
const states: Readonly<Record<string, string>> = {
  R: 'Running',
  S: 'Sleeping',
  D: 'Waiting for I/O',
  Z: 'Zombie',
  T: 'Stopped',
  I: 'Idle',
}

/** The processes of the device, refreshed at short intervals. */
export function ProcessesTab({ device }: { readonly device: DeviceDetail }) {
  const [{ q = '', item }, change] = useDeviceSearch()
  const sorting = useDeviceSorting('cpu', 'desc')
  const [isPaused, setPaused] = useState(false)
  const [ending, setEnding] = useState<Process | null>(null)
  const obstacle = useObstacle(device, 'devices:execute', 'list_processes')
  const answer = useApiQuery(
    (client) => client.systemTools.processes.list,
    { deviceId: device.id },
    { enabled: !obstacle, everyMs: isPaused ? 0 : everyMs, keepLast: true },
  )
  const all = answer.data?.processes ?? none
  const rows = useMemo(() => {
    const part = q.toLowerCase()
    const found = all.filter(({ name, command, user, pid }) =>
      `${name} ${command} ${user} ${pid}`.toLowerCase().includes(part),
    )
    return sorted(found, values[sorting.by] ?? (({ pid }) => pid), sorting.dir)
  }, [all, q, sorting.by, sorting.dir])
  return (
    <Reachable obstacle={obstacle} isKnown={answer.data !== undefined}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search processes"
          placeholder="Name, command, user or PID"
          value={q}
          change={(text) => change({ q: text })}
        />
        <span className="text-muted text-sm tabular">
          {answer.data ? many(all.length, 'process', 'processes') : ''}
          {answer.data?.truncated && ', list truncated'}
        </span>
        <span className="flex-1" />
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </div>
      <DataTable
        label="Processes"
        rows={rows}
        columns={columnsWith(
          ({ pid }) => change({ item: String(pid) }),
          (process) => setEnding(process),
          obstacle,
        )}
        answer={answer}
        rowId={({ pid, startedAt }) => `${pid}/${startedAt}`}
        sorting={sorting}
        empty={
          <Note icon={Cpu} title="No matches">
            Try another search.
          </Note>
        }
      />
      {item && <ProcessDetails deviceId={device.id} pid={Number(item)} close={() => change({ item: undefined })} />}
      {ending && <KillDialog deviceId={device.id} process={ending} close={() => setEnding(null)} />}
    </Reachable>
  )
}

const columnsWith = (
  open: (process: Process) => void,
  end: (process: Process) => void,
  obstacle: string | undefined,
): readonly Column<Process>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 150,
    grow: 1,
    sort: 'name',
    cell: (process) => <RowButton open={() => open(process)}>{process.name}</RowButton>,
  },
  { id: 'pid', header: 'PID', width: 80, sort: 'pid', align: 'end', cell: ({ pid }) => pid },
  {
    id: 'cpu',
    header: 'CPU',
    width: 76,
    sort: 'cpu',
    align: 'end',
    cell: ({ cpuPercent }) => `${cpuPercent.toFixed(1)}%`,
  },
  {
    id: 'memory',
    header: 'Memory',
    width: 92,
    sort: 'memory',
    align: 'end',
    cell: ({ memoryBytes }) => memory(memoryBytes),
  },
  { id: 'user', header: 'User', width: 96, sort: 'user', cell: ({ user }) => user },
  {
    id: 'command',
    header: 'Command',
    width: 180,
    grow: 2,
    cell: ({ command }) => <span className="font-mono text-muted text-xs">{command}</span>,
  },
  { id: 'started', header: 'Started', width: 100, sort: 'started', cell: ({ startedAt }) => <Ago at={startedAt} /> },
  { id: 'state', header: 'State', width: 96, cell: ({ state }) => states[state] ?? state },
  { id: 'threads', header: 'Threads', width: 84, sort: 'threads', align: 'end', cell: ({ threads }) => count(threads) },
  {
    id: 'end',
    header: 'Actions',
    width: 124,
    cell: (process) => (
      <Button
        small
        kind="quiet"
        blocked={obstacle}
        aria-label={`End process ${process.name}`}
        onClick={() => end(process)}
      >
        End process
      </Button>
    ),
  },
]

interface DetailsProps {
  readonly deviceId: string
  readonly pid: number
  close(): void
}
function ProcessDetails({ deviceId, pid, close }: DetailsProps) {
  const answer = useApiQuery((client: typeof api) => client.systemTools.processes.get, { deviceId, pid })
  return (
    <Details title={answer.data ? `${answer.data.name}, ${pid}` : `Process ${pid}`} answer={answer} close={close}>
      {(process) => (
        <div className="grid gap-4">
          <Facts
            onlyKnown
            facts={[
              ['User', process.user],
              ['State', states[process.state] ?? process.state],
              ['Started', <Moment key="started" at={process.startedAt} />],
              ['CPU', `${process.cpuPercent.toFixed(1)}%`],
              ['Memory', `${memory(process.memoryBytes)}, ${memory(process.virtualBytes)} virtual`],
              [
                'Read and written',
                process.readBytes === null && process.writtenBytes === null
                  ? null
                  : `${bytes(process.readBytes)} and ${bytes(process.writtenBytes)}`,
              ],
              ['Open files', process.openFiles],
              ['Priority', process.nice],
              ['Parent', process.parentPid],
              ['Children', process.children.join(', ') || 'none'],
              ['Executable', process.executable],
              ['Working directory', process.workingDirectory],
              ['Control group', process.controlGroup],
            ]}
          />
          {process.command && <Verbatim label="Command" text={process.command} />}
        </div>
      )}
    </Details>
  )
}
