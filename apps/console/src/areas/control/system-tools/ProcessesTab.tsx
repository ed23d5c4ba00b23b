import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Cpu, Pause, Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Api, api } from '../../../api.ts'
import { useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Details, Verbatim } from '../../../ui/Details.tsx'
import { Facts } from '../../../ui/display.tsx'
import { bytes, count, many } from '../../../ui/quantity.ts'
import { RowButton } from '../../../ui/RowButton.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { sorted } from '../../../ui/sorted.ts'
import { Note } from '../../../ui/states.tsx'
import { Ago, Moment } from '../../../ui/time.tsx'
import { useDeviceSearch, useDeviceSorting } from '../../fleet/devices/deviceSearch.ts'
import { KillDialog } from './KillDialog.tsx'
import { Reachable, useObstacle } from './obstacle.tsx'

type List = Awaited<ReturnType<Api['systemTools']['processes']['list']['query']>>
export type Process = List['processes'][number]

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
  D: 'Waiting for a disk',
  Z: 'Ended',
  T: 'Stopped',
  I: 'Idle',
}

/** What runs on the device, read anew every few seconds. */
export function ProcessesTab({ device }: { readonly device: Device }) {
  const [{ q = '', item }, change] = useDeviceSearch()
  const sorting = useDeviceSorting('cpu', 'desc')
  const [isPaused, setPaused] = useState(false)
  const [ending, setEnding] = useState<Process | null>(null)
  const obstacle = useObstacle(device, 'devices:execute')
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
          placeholder="Name, command, user or number"
          value={q}
          change={(text) => change({ q: text || undefined })}
        />
        <span className="text-muted text-sm tabular">
          {answer.data ? many(all.length, 'process', 'processes') : ''}
          {answer.data?.truncated && ', the first of them'}
        </span>
        <span className="flex-1" />
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
          {isPaused ? 'Go on' : 'Hold still'}
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
          <Note icon={Cpu} title="No process matches">
            Try fewer letters.
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
    width: 190,
    grow: 1,
    sort: 'name',
    cell: (process) => <RowButton open={() => open(process)}>{process.name}</RowButton>,
  },
  { id: 'pid', header: 'Number', width: 90, sort: 'pid', align: 'end', cell: ({ pid }) => pid },
  {
    id: 'cpu',
    header: 'CPU',
    width: 84,
    sort: 'cpu',
    align: 'end',
    cell: ({ cpuPercent }) => `${cpuPercent.toFixed(1)} %`,
  },
  {
    id: 'memory',
    header: 'Memory',
    width: 96,
    sort: 'memory',
    align: 'end',
    cell: ({ memoryBytes }) => bytes(memoryBytes),
  },
  { id: 'threads', header: 'Threads', width: 90, sort: 'threads', align: 'end', cell: ({ threads }) => count(threads) },
  { id: 'user', header: 'User', width: 110, sort: 'user', cell: ({ user }) => user },
  { id: 'state', header: 'State', width: 110, cell: ({ state }) => states[state] ?? state },
  { id: 'started', header: 'Started', width: 110, sort: 'started', cell: ({ startedAt }) => <Ago at={startedAt} /> },
  {
    id: 'command',
    header: 'Command',
    width: 200,
    grow: 2,
    cell: ({ command }) => <span className="font-mono text-muted text-xs">{command}</span>,
  },
  {
    id: 'end',
    header: 'Actions',
    width: 84,
    cell: (process) => (
      <Button small kind="quiet" blocked={obstacle} aria-label={`End ${process.name}`} onClick={() => end(process)}>
        End
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
            facts={[
              ['User', process.user],
              ['State', states[process.state] ?? process.state],
              ['Started', <Moment key="started" at={process.startedAt} />],
              ['CPU', `${process.cpuPercent.toFixed(1)} %`],
              ['Memory', `${bytes(process.memoryBytes)}, ${bytes(process.virtualBytes)} virtual`],
              ['Read and written', `${bytes(process.readBytes)} and ${bytes(process.writtenBytes)}`],
              ['Open files', process.openFiles],
              ['Priority', process.nice],
              ['Parent', process.parentPid],
              ['Children', process.children.join(', ') || 'none'],
              ['Program', process.executable],
              ['Folder', process.workingDirectory],
              ['Control group', process.controlGroup],
            ]}
          />
          {process.command && <Verbatim label="Command" text={process.command} />}
        </div>
      )}
    </Details>
  )
}
