import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { CalendarClock, Ellipsis, PauseCircle, Play, PlayCircle } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Api, api } from '../../../api.ts'
import { useApiQuery, useRefresh } from '../../../queries.ts'
import { IconButton } from '../../../ui/button/Button.tsx'
import { Menu } from '../../../ui/button/Menu.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { Details, Verbatim } from '../../../ui/dialog/Details.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Badge, Facts } from '../../../ui/page/display.tsx'
import { Note } from '../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../ui/table/DataTable.tsx'
import { sorted } from '../../../ui/table/sorted.ts'
import { many } from '../../../ui/text/quantity.ts'
import { Ago, Moment } from '../../../ui/text/time.tsx'
import { useDeviceSearch, useDeviceSorting } from '../../fleet/devices/deviceSearch.ts'
import { Reachable, useObstacle } from './obstacle.tsx'

type Task = Awaited<ReturnType<Api['systemTools']['tasks']['list']['query']>>['tasks'][number]
type Deed = 'run' | 'enable' | 'disable'
interface Wish {
  readonly task: Task
  readonly deed: Deed
}

const none: readonly Task[] = []
const icon = { 'aria-hidden': true, className: 'size-4' } as const
const kinds: Readonly<Record<Task['kind'], string>> = { timer: 'Timer', cron: 'Cron', script: 'Script', task: 'Task' }
const deeds: Readonly<Record<Deed, { readonly verb: string; readonly warning: string; readonly done: string }>> = {
  run: { verb: 'Run', warning: 'Runs once now. The schedule stays as it is.', done: 'started' },
  enable: { verb: 'Enable', warning: 'Runs on its schedule again.', done: 'enabled' },
  disable: { verb: 'Disable', warning: 'Stops running on its schedule until it is enabled.', done: 'disabled' },
}
const values: Readonly<Record<string, (task: Task) => string | null>> = {
  name: ({ name }) => name.toLowerCase(),
  kind: ({ kind }) => kind,
  next: ({ nextRunAt }) => nextRunAt,
  last: ({ lastRunAt }) => lastRunAt,
}

/** The scheduled tasks of the device. */
export function TasksTab({ device }: { readonly device: DeviceDetail }) {
  const [{ q = '', item }, change] = useDeviceSearch()
  const sorting = useDeviceSorting('name')
  const [wish, setWish] = useState<Wish | null>(null)
  const obstacle = useObstacle(device, 'devices:execute', 'list_tasks')
  const blocked = useObstacle(device, 'devices:execute', 'run_task')
  const answer = useApiQuery(
    (client) => client.systemTools.tasks.list,
    { deviceId: device.id },
    { enabled: !obstacle, keepLast: true },
  )
  const all = answer.data?.tasks ?? none
  const rows = useMemo(() => {
    const part = q.toLowerCase()
    const found = all.filter(({ name, command, schedule }) =>
      `${name} ${command ?? ''} ${schedule ?? ''}`.toLowerCase().includes(part),
    )
    return sorted(found, values[sorting.by] ?? (({ name }) => name), sorting.dir)
  }, [all, q, sorting.by, sorting.dir])
  return (
    <Reachable obstacle={obstacle} isKnown={answer.data !== undefined}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search tasks"
          placeholder="Name, command or schedule"
          value={q}
          change={(text) => change({ q: text })}
        />
        <span className="text-muted text-sm tabular">{answer.data && many(rows.length, 'task')}</span>
      </div>
      <DataTable
        label="Tasks"
        rows={rows}
        columns={columnsWith(({ path }) => change({ item: path }), setWish, blocked)}
        answer={answer}
        rowId={({ path }) => path}
        sorting={sorting}
        empty={
          <Note icon={CalendarClock} title={all.length === 0 ? 'No scheduled tasks' : 'No matches'}>
            {all.length === 0
              ? 'Timers, cron entries and daily scripts of the device appear here.'
              : 'Try another search.'}
          </Note>
        }
      />
      {item && <TaskDetails deviceId={device.id} path={item} close={() => change({ item: undefined })} />}
      <Wished deviceId={device.id} wish={wish} close={() => setWish(null)} />
    </Reachable>
  )
}

const columnsWith = (
  open: (task: Task) => void,
  want: (wish: Wish) => void,
  blocked: string | undefined,
): readonly Column<Task>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 220,
    grow: 2,
    sort: 'name',
    cell: (task) => <RowButton open={() => open(task)}>{task.name}</RowButton>,
  },
  { id: 'kind', header: 'Type', width: 84, sort: 'kind', cell: ({ kind }) => kinds[kind] },
  {
    id: 'enabled',
    header: 'Enabled',
    width: 96,
    cell: ({ enabled }) => <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>,
  },
  {
    id: 'schedule',
    header: 'Schedule',
    width: 160,
    grow: 1,
    cell: ({ schedule }) => <span className="font-mono text-xs">{schedule ?? '–'}</span>,
  },
  { id: 'user', header: 'User', width: 96, cell: ({ user }) => user ?? '–' },
  {
    id: 'last',
    header: 'Last run',
    width: 110,
    sort: 'last',
    cell: ({ lastRunAt }) => <Ago at={lastRunAt} never="–" />,
  },
  {
    id: 'next',
    header: 'Next run',
    width: 188,
    sort: 'next',
    cell: ({ nextRunAt }) => <Moment at={nextRunAt} never="–" />,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 84,
    cell: (task) => (
      <Menu
        trigger={
          <IconButton small label={`Actions for ${task.name}`}>
            <Ellipsis {...icon} />
          </IconButton>
        }
        groups={[
          [
            { label: 'Run now', icon: <Play {...icon} />, blocked, act: () => want({ task, deed: 'run' }) },
            task.enabled
              ? {
                  label: 'Disable',
                  icon: <PauseCircle {...icon} />,
                  blocked,
                  act: () => want({ task, deed: 'disable' }),
                }
              : {
                  label: 'Enable',
                  icon: <PlayCircle {...icon} />,
                  blocked,
                  act: () => want({ task, deed: 'enable' }),
                },
          ],
        ]}
      />
    ),
  },
]

function Wished({ deviceId, wish, close }: { readonly deviceId: string; readonly wish: Wish | null; close(): void }) {
  const refresh = useRefresh()
  if (wish === null) return null
  const { task, deed } = wish
  const { verb, warning, done } = deeds[deed]
  return (
    <Confirm
      open
      danger={deed === 'disable'}
      close={close}
      title={`${verb} ${task.name}?`}
      verb={verb}
      act={async () => {
        await api.systemTools.tasks[deed].mutate({ deviceId, path: task.path })
        toast(`${task.name} ${done}`)
        await refresh('systemTools.tasks')
      }}
    >
      {warning}
    </Confirm>
  )
}

interface DetailsProps {
  readonly deviceId: string
  readonly path: string
  close(): void
}
function TaskDetails({ deviceId, path, close }: DetailsProps) {
  const answer = useApiQuery((client) => client.systemTools.tasks.get, { deviceId, path })
  return (
    <Details title={answer.data?.name ?? 'Task'} answer={answer} close={close}>
      {(task) => (
        <div className="grid gap-4">
          <Facts
            facts={[
              ['Description', task.description ?? kinds[task.kind]],
              ['Schedule', task.schedule],
              ['User', task.user],
              ['Command', task.command],
              ['Last run', <Moment key="last" at={task.lastRunAt} never="unknown" />],
              ['Next run', <Moment key="next" at={task.nextRunAt} never="not scheduled" />],
            ]}
          />
          <Runs deviceId={deviceId} path={path} />
          <Verbatim label="Definition" text={task.definition} />
        </div>
      )}
    </Details>
  )
}

function Runs({ deviceId, path }: Omit<DetailsProps, 'close'>) {
  const { data } = useApiQuery((client) => client.systemTools.tasks.history, { deviceId, path })
  if (!data) return null
  if (data.unavailable !== null)
    return <p className="text-muted text-sm">Run history unavailable: {data.unavailable}</p>
  return (
    <section aria-label="Runs" className="grid gap-1 text-sm">
      <h3 className="font-medium">Runs</h3>
      {data.runs.length === 0 && <p className="text-muted">No recorded runs</p>}
      <ol className="grid max-h-48 gap-1 overflow-y-auto">
        {[...new Map(data.runs.map((run) => [`${run.at} ${run.message}`, run]))].map(([key, { at, message }]) => (
          <li key={key} className="flex gap-3">
            <span className="shrink-0 text-muted tabular">
              <Moment at={at} />
            </span>
            <span className="min-w-0 break-words">{message}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
