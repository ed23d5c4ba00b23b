import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { RefreshCw, ScrollText } from 'lucide-react'
import { useMemo } from 'react'
import { type Api, api } from '../../../api.ts'
import { useApiQuery } from '../../../queries.ts'
import { useScopeKey } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Details, Verbatim } from '../../../ui/dialog/Details.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Badge, Facts, type Tone } from '../../../ui/page/display.tsx'
import { Failure, Loading, Note } from '../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../ui/table/DataTable.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'
import { useDeviceSearch } from '../../fleet/devices/deviceSearch.ts'
import { logGroups } from './logNames.ts'
import { Reachable, useObstacle } from './obstacle.tsx'

type Event = Awaited<ReturnType<Api['systemTools']['eventLogs']['events']['query']>>['events'][number]
type Level = NonNullable<Event['level']>

const perPage = 200
const none: readonly Event[] = []
const tones: Readonly<Record<Level, Tone>> = {
  emergency: 'bad',
  alert: 'bad',
  critical: 'bad',
  error: 'bad',
  warning: 'warn',
  notice: 'info',
  info: 'plain',
  debug: 'plain',
}
const levels: readonly (readonly [Level, string])[] = [
  ['critical', 'Critical and above'],
  ['error', 'Errors and above'],
  ['warning', 'Warnings and above'],
  ['notice', 'Notices and above'],
  ['info', 'Info and above'],
]

/** The event logs of the device, newest first. */
export function LogsTab({ device }: { readonly device: DeviceDetail }) {
  const [{ log, level, q, item }, change] = useDeviceSearch()
  const obstacle = useObstacle(device, 'devices:execute', 'list_event_logs')
  const deviceId = device.id
  const known = useApiQuery(
    (client) => client.systemTools.eventLogs.list,
    { deviceId },
    { enabled: !obstacle, staleMs: 60_000 },
  )
  const logs = known.data?.logs ?? []
  const name = log ?? logs[0]?.name
  return (
    <Reachable obstacle={obstacle} isKnown={known.data !== undefined}>
      {known.error ? (
        <Failure error={known.error} again={() => known.refetch()} />
      ) : known.isPending ? (
        <Loading />
      ) : name === undefined ? (
        <Note icon={ScrollText} title="No logs">
          The device has no event logs that the agent can read.
        </Note>
      ) : (
        <>
          <div className="mb-3 flex flex-wrap items-center gap-2">
            <Select
              label="Log"
              value={name}
              className="w-64"
              options={[]}
              groups={logGroups(logs, device.osType)}
              choose={(next) => change({ log: next, item: undefined })}
            />
            <Select
              label="Level"
              none="All levels"
              value={level}
              options={levels}
              choose={(next) => change({ level: next })}
            />
            <SearchField
              label="Search the log"
              placeholder="Text in the message"
              value={q}
              change={(text) => change({ q: text })}
            />
          </div>
          <Events key={name} deviceId={deviceId} name={name} obstacle={obstacle} />
          {item && (
            <EventDetails deviceId={deviceId} name={name} recordId={item} close={() => change({ item: undefined })} />
          )}
        </>
      )}
    </Reachable>
  )
}

interface EventsProps {
  readonly deviceId: string
  readonly name: string
  readonly obstacle: string | undefined
}
function Events({ deviceId, name, obstacle }: EventsProps) {
  const [{ level, q }, change] = useDeviceSearch()
  const filters = { deviceId, name, limit: perPage, ...(level && { level }), ...(q && { search: q }) }
  const answer = useInfiniteQuery({
    queryKey: [useScopeKey(), 'systemTools.eventLogs.events', filters],
    queryFn: ({ pageParam, signal }) =>
      api.systemTools.eventLogs.events.query(
        { ...filters, ...(pageParam !== null && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextBefore }) => nextBefore,
    enabled: !obstacle,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, hasNextPage, isFetching, fetchNextPage } = answer
  const rows = useMemo(() => data?.pages.flatMap(({ events }) => events) ?? none, [data])
  // Many files have neither; a column of dashes would only take room.
  const isKnown = (of: (event: Event) => unknown) => rows.some((event) => of(event) !== null)
  const columns = columnsWith(({ recordId }) => change({ item: recordId })).filter(
    ({ id }) =>
      (id !== 'at' || isKnown(({ at }) => at)) &&
      (id !== 'level' || isKnown(({ level }) => level)) &&
      (id !== 'source' || isKnown(({ source }) => source)),
  )
  return (
    <DataTable
      label="Events"
      rows={rows}
      columns={columns}
      answer={answer}
      rowId={({ recordId }) => recordId}
      onEnd={() => {
        if (hasNextPage && !isFetching) void fetchNextPage()
      }}
      empty={
        <Note icon={ScrollText} title="No matches">
          The log is empty, or no event has that level or text.
        </Note>
      }
      footer={
        <div className="flex items-center justify-between gap-2 border-line border-t px-3 py-1 text-muted text-sm tabular">
          {count(rows.length)} loaded, {hasNextPage ? 'scroll for older events' : 'end of log'}
          <Button small kind="quiet" blocked={obstacle} busy={isFetching} onClick={() => void answer.refetch()}>
            <RefreshCw aria-hidden className="size-3.5" />
            Refresh
          </Button>
        </div>
      }
    />
  )
}

const columnsWith = (open: (event: Event) => void): readonly Column<Event>[] => [
  { id: 'at', header: 'Time', width: 220, cell: ({ at }) => <Moment seconds at={at} never="–" /> },
  {
    id: 'level',
    header: 'Level',
    width: 100,
    cell: ({ level }) => (level === null ? '–' : <Badge tone={tones[level]}>{level}</Badge>),
  },
  { id: 'source', header: 'Source', width: 180, cell: ({ source }) => source ?? '–' },
  {
    id: 'message',
    header: 'Message',
    width: 300,
    grow: 1,
    cell: (event) => (
      <button
        type="button"
        className="max-w-full truncate rounded font-mono text-xs hover:text-accent-text"
        onClick={() => open(event)}
      >
        {event.message || '(no message)'}
      </button>
    ),
  },
]

interface DetailsProps {
  readonly deviceId: string
  readonly name: string
  readonly recordId: string
  close(): void
}
function EventDetails({ deviceId, name, recordId, close }: DetailsProps) {
  const answer = useApiQuery((client) => client.systemTools.eventLogs.event, { deviceId, name, recordId })
  return (
    <Details title={`Event of ${name}`} answer={answer} close={close}>
      {({ at, level, source, pid, message, fields }) => (
        <div className="grid gap-4">
          <Facts
            facts={[
              ['Time', <Moment seconds key="at" at={at} never="unknown" />],
              ['Level', level],
              ['Source', source],
              ['Process', pid],
            ]}
          />
          <Verbatim label="Message" text={message} />
          {Object.keys(fields).length > 0 && <Facts facts={Object.entries(fields)} />}
        </div>
      )}
    </Details>
  )
}
