import type { Monitor, Resolution, Result } from '@muster/areas/watch/monitors/monitors.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { useMemo } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { LazyTimeChart } from '../../../ui/chart/LazyTimeChart.tsx'
import { RangeSelect } from '../../../ui/chart/RangeSelect.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Card } from '../../../ui/page/display.tsx'
import { Note, Pending } from '../../../ui/page/states.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { responseSeries } from './responseSeries.ts'
import { responseTime } from './words.tsx'

const ranges = [
  ['1', 'Last hour'],
  ['24', 'Last day'],
  ['168', 'Last week'],
  ['720', 'Last 30 days'],
  ['8760', 'Last year'],
] as const
const resolutions: readonly (readonly [Resolution, string])[] = [
  ['raw', 'As reported'],
  ['5m', '5 minutes'],
  ['1h', '1 hour'],
]
const hour = 3_600
/** The longest range of each resolution that the server answers, in seconds. */
const longest: Readonly<Record<Resolution, number>> = { raw: 24 * hour, '5m': 31 * 24 * hour, '1h': 400 * 24 * hour }
const leastZoom = 300
const isoOf = (seconds: number) => new Date(seconds * 1_000).toISOString()

/** The range and resolution that the address asks for. */
function useRange() {
  const { hours = '24', resolution, from, to } = useSearch({ from: '/app/monitors/$monitorId' })
  const isZoomed = from !== undefined && to !== undefined && from < to
  // By the minute, so that the question stays the same for a while.
  const now = Math.ceil(Date.now() / 60_000) * 60
  const range = isZoomed ? { from, to } : { from: now - Number(hours) * hour, to: now }
  const offered = resolutions.filter(([each]) => longest[each] >= range.to - range.from)
  const chosen = offered.find(([each]) => each === resolution) ?? offered[0]
  return { ...range, hours, isZoomed, offered, resolution: chosen?.[0] ?? '1h' }
}

/** Response times of a monitor. Dragging over the chart shows that range alone; the address keeps it. */
export function ResponseChart({ monitor }: { readonly monitor: Monitor }) {
  const navigate = useNavigate({ from: '/monitors/$monitorId' })
  const range = useRange()
  const { from, to, hours, isZoomed, offered, resolution } = range
  const answer = useApiQuery(
    (client) => client.monitors.monitors.results,
    { id: monitor.id, from: isoOf(from), to: isoOf(to), resolution },
    { everyMs: isZoomed ? 0 : 30_000, keepLast: true },
  )
  return (
    <Card
      title="Response time"
      actions={
        <span className="flex flex-wrap items-center justify-end gap-2 py-1">
          <RangeSelect
            value={hours}
            ranges={ranges}
            isZoomed={isZoomed}
            choose={(next) =>
              void navigate({ search: (now) => ({ ...now, hours: next, from: undefined, to: undefined }) })
            }
            resetZoom={() => void navigate({ search: (now) => ({ ...now, from: undefined, to: undefined }) })}
          />
          <Select
            label="Resolution"
            className="w-32"
            value={resolution}
            options={offered}
            choose={(next) => void navigate({ search: (now) => ({ ...now, resolution: next }) })}
          />
        </span>
      }
    >
      {answer.data ? (
        <Drawn
          monitor={monitor}
          range={range}
          results={answer.data.data}
          resolution={answer.data.resolution}
          zoom={(first, last) =>
            void navigate({ search: (now) => ({ ...now, from: first, to: Math.max(last, first + leastZoom) }) })
          }
        />
      ) : (
        <Pending answer={answer} />
      )}
    </Card>
  )
}

interface DrawnProps {
  readonly monitor: Monitor
  readonly range: { readonly from: number; readonly to: number }
  readonly results: readonly Result[]
  readonly resolution: Resolution
  zoom(from: number, to: number): void
}

function Drawn({ monitor: { intervalSeconds }, range: { from, to }, results, resolution, zoom }: DrawnProps) {
  // Agents report once a minute, or as often as they check.
  const spacing = { raw: Math.max(60, intervalSeconds), '5m': 300, '1h': 3_600 }[resolution]
  const { at, series } = useMemo(() => responseSeries(results, spacing), [results, spacing])
  const rounds = results.reduce((sum, each) => sum + each.rounds, 0)
  const failed = results.reduce((sum, each) => sum + each.failed, 0)
  if (at.length === 0)
    return (
      <Note icon={Info} title="No data for this period">
        No probe reported a result. Choose a longer time range, or check the monitor now.
      </Note>
    )
  if (series.every(({ values }) => values.every((value) => value === null)))
    return (
      <Note icon={Info} title="No responses in this period">
        {count(failed)} of {count(rounds)} checks failed. The incidents say why.
      </Note>
    )
  return (
    <>
      <LazyTimeChart
        label="Response time"
        from={from}
        to={to}
        at={at}
        series={series}
        write={responseTime}
        zoom={zoom}
      />
      <p className="mt-2 pl-16 text-muted text-xs">
        {count(failed)} of {count(rounds)} checks failed. Drag over the chart to zoom.
      </p>
    </>
  )
}
