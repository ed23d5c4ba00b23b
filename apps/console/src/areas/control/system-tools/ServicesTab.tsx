import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Ellipsis, Play, RotateCw, Square, Workflow } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Api, api } from '../../../api.ts'
import { useApiQuery, useRefresh } from '../../../queries.ts'
import { Button, IconButton } from '../../../ui/button/Button.tsx'
import { Menu } from '../../../ui/button/Menu.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { Details } from '../../../ui/dialog/Details.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Badge, Facts, type Tone } from '../../../ui/page/display.tsx'
import { Note } from '../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../ui/table/DataTable.tsx'
import { sorted } from '../../../ui/table/sorted.ts'
import { many, memory } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'
import { useDeviceSearch, useDeviceSorting } from '../../fleet/devices/deviceSearch.ts'
import { Reachable, useObstacle } from './obstacle.tsx'

type Service = Awaited<ReturnType<Api['systemTools']['services']['list']['query']>>['services'][number]
type Deed = 'start' | 'stop' | 'restart'
interface Wish {
  readonly name: string
  readonly deed: Deed
}

const everyMs = 15_000
const none: readonly Service[] = []
const icon = { 'aria-hidden': true, className: 'size-4' } as const
const deeds: Readonly<Record<Deed, { readonly verb: string; readonly done: string; readonly warning: string }>> = {
  start: {
    verb: 'Start',
    done: 'started',
    warning: 'Starts it now. Its startup setting stays as it is.',
  },
  stop: {
    verb: 'Stop',
    done: 'stopped',
    warning: 'Everything that depends on it stops working until it is started again.',
  },
  restart: {
    verb: 'Restart',
    done: 'restarted',
    warning: 'It is unavailable for a moment, and its current work is interrupted.',
  },
}
// Agents on Windows report the text about the service in the field of the unit file.
const definedBy = { linux: 'Unit', macos: 'Definition', windows: 'About' } as const
const tones: Readonly<Record<string, Tone>> = { running: 'good', failed: 'bad', active: 'good' }
const values: Readonly<Record<string, (service: Service) => string | null>> = {
  name: ({ name }) => name.toLowerCase(),
  state: ({ state }) => state,
  startup: ({ startup }) => startup,
}

/** The services of the device, and starting and stopping them. */
export function ServicesTab({ device }: { readonly device: DeviceDetail }) {
  const [{ q = '', state, item }, change] = useDeviceSearch()
  const sorting = useDeviceSorting('name')
  const [wish, setWish] = useState<Wish | null>(null)
  const obstacle = useObstacle(device, 'devices:execute', 'list_services')
  const blocked = useObstacle(device, 'devices:execute', 'restart_service')
  const answer = useApiQuery(
    (client) => client.systemTools.services.list,
    { deviceId: device.id },
    { enabled: !obstacle, everyMs, keepLast: true },
  )
  const all = answer.data?.services ?? none
  const states = useMemo(() => [...new Set(all.map((service) => service.state))].sort(), [all])
  const rows = useMemo(() => {
    const part = q.toLowerCase()
    const found = all.filter(
      (service) =>
        (state === undefined || service.state === state) &&
        `${service.name} ${service.displayName ?? ''}`.toLowerCase().includes(part),
    )
    return sorted(found, values[sorting.by] ?? (({ name }) => name), sorting.dir)
  }, [all, q, state, sorting.by, sorting.dir])
  return (
    <Reachable obstacle={obstacle} isKnown={answer.data !== undefined}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search services"
          placeholder="Search by name"
          value={q}
          change={(text) => change({ q: text })}
        />
        <Select
          label="State"
          none="All states"
          value={state}
          options={states.map((each) => [each, each] as const)}
          choose={(next) => change({ state: next })}
        />
        <span className="text-muted text-sm tabular">{answer.data && many(rows.length, 'service')}</span>
      </div>
      <DataTable
        label="Services"
        rows={rows}
        columns={columnsWith((name) => change({ item: name }), setWish, blocked)}
        answer={answer}
        rowId={({ name }) => name}
        sorting={sorting}
        empty={
          <Note icon={Workflow} title="No matches">
            Try another search or state.
          </Note>
        }
      />
      {item && (
        <ServiceDetails
          device={device}
          name={item}
          blocked={blocked}
          want={(deed) => setWish({ name: item, deed })}
          close={() => change({ item: undefined })}
        />
      )}
      <Wished deviceId={device.id} wish={wish} close={() => setWish(null)} />
    </Reachable>
  )
}

function columnsWith(
  open: (name: string) => void,
  want: (wish: Wish) => void,
  blocked: string | undefined,
): readonly Column<Service>[] {
  const entry = (name: string, deed: Deed, Icon: typeof Play) => ({
    label: deeds[deed].verb,
    icon: <Icon {...icon} />,
    blocked,
    act: () => want({ name, deed }),
  })
  return [
    {
      id: 'name',
      header: 'Name',
      width: 240,
      grow: 1,
      sort: 'name',
      cell: ({ name }) => <RowButton open={() => open(name)}>{name}</RowButton>,
    },
    { id: 'what', header: 'Description', width: 220, grow: 2, cell: ({ displayName }) => displayName ?? '–' },
    {
      id: 'state',
      header: 'State',
      width: 120,
      sort: 'state',
      cell: ({ state }) => <Badge tone={tones[state] ?? 'plain'}>{state}</Badge>,
    },
    { id: 'startup', header: 'Startup', width: 140, sort: 'startup', cell: ({ startup }) => startup ?? '–' },
    {
      id: 'actions',
      header: 'Actions',
      width: 84,
      cell: ({ name }) => (
        <Menu
          trigger={
            <IconButton small label={`Actions for ${name}`}>
              <Ellipsis {...icon} />
            </IconButton>
          }
          groups={[[entry(name, 'start', Play), entry(name, 'restart', RotateCw), entry(name, 'stop', Square)]]}
        />
      ),
    },
  ]
}

function Wished({ deviceId, wish, close }: { readonly deviceId: string; readonly wish: Wish | null; close(): void }) {
  const refresh = useRefresh()
  if (wish === null) return null
  const { name, deed } = wish
  const { verb, done, warning } = deeds[deed]
  return (
    <Confirm
      open
      danger={deed !== 'start'}
      close={close}
      title={`${verb} ${name}?`}
      verb={verb}
      act={async () => {
        const { state } = await api.systemTools.services[deed].mutate({ deviceId, name })
        toast(`${name} ${done}; now ${state}`)
        await refresh('systemTools.services')
      }}
    >
      {warning}
    </Confirm>
  )
}

interface DetailsProps {
  readonly device: DeviceDetail
  readonly name: string
  readonly blocked: string | undefined
  want(deed: Deed): void
  close(): void
}
function ServiceDetails({ device, name, blocked, want, close }: DetailsProps) {
  const answer = useApiQuery((client) => client.systemTools.services.get, { deviceId: device.id, name })
  const isLinux = device.osType === 'linux'
  const canStart = answer.data !== undefined && answer.data.state !== 'running' && answer.data.state !== 'active'
  return (
    <Details
      title={name}
      answer={answer}
      close={close}
      actions={
        <>
          <Button blocked={blocked} onClick={() => want('stop')}>
            Stop
          </Button>
          <Button blocked={blocked} onClick={() => want('restart')}>
            Restart
          </Button>
          <Button kind={canStart ? 'primary' : 'plain'} blocked={blocked} onClick={() => want('start')}>
            Start
          </Button>
        </>
      }
    >
      {(service) => (
        <Facts
          onlyKnown
          facts={[
            ['Description', service.displayName],
            [
              'State',
              <Badge key="state" tone={tones[service.state] ?? 'plain'}>
                {service.state}
              </Badge>,
            ],
            ['Since', service.activeSince && <Moment key="since" at={service.activeSince} />],
            ['Last result', service.result],
            ['Restarts', service.restarts],
            ['Main process', service.mainPid],
            ['Memory', service.memoryBytes === null ? null : memory(service.memoryBytes)],
            ['Tasks', service.tasks],
            ['User', service.user ?? (isLinux ? 'root' : null)],
            ['Command', service.command],
            [definedBy[device.osType ?? 'linux'], service.unitFile],
            ['Requires', service.requires.join(', ')],
            ['Starts after', service.after.join(', ')],
          ]}
        />
      )}
    </Details>
  )
}
