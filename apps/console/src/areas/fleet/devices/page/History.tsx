import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Info } from 'lucide-react'
import { useMemo } from 'react'
import { useApiQuery } from '../../../../queries.ts'
import { LazyTimeChart } from '../../../../ui/chart/LazyTimeChart.tsx'
import { RangeSelect } from '../../../../ui/chart/RangeSelect.tsx'
import { Card } from '../../../../ui/page/display.tsx'
import { Note, Pending } from '../../../../ui/page/states.tsx'
import { bytes } from '../../../../ui/text/quantity.ts'
import { useDeviceSearch } from '../deviceSearch.ts'
import { metricSeries } from './metricSeries.ts'

const ranges = [
  ['1', 'Last hour'],
  ['6', 'Last 6 hours'],
  ['24', 'Last day'],
  ['168', 'Last week'],
] as const
const percent = (value: number) => `${Math.round(value)}%`
const perSecond = (value: number) => `${bytes(value)}/s`
const leastSeconds = 60
const secondsOf = (iso: string) => Date.parse(iso) / 1000
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/** The metrics of the device over time. Dragging over a chart shows that range alone; the address keeps it. */
export function History({ device: { id } }: { readonly device: DeviceDetail }) {
  const [{ hours = '1', from, to }, change] = useDeviceSearch()
  const isZoomed = from !== undefined && to !== undefined && from < to
  const answer = useApiQuery(
    (api) => api.devices.devices.metrics,
    { id, limit: 3_000, ...(isZoomed ? { from: isoOf(from), to: isoOf(to) } : { minutes: Number(hours) * 60 }) },
    { everyMs: isZoomed ? 0 : 15_000, keepLast: true },
  )
  const points = answer.data?.points
  const drawn = useMemo(() => (points ? metricSeries(points) : null), [points])
  const range = answer.data && { from: secondsOf(answer.data.from), to: secondsOf(answer.data.to) }
  const zoom = (first: number, last: number) => change({ from: first, to: Math.max(last, first + leastSeconds) })
  return (
    <Card
      title="History"
      actions={
        <span className="flex items-center gap-2">
          <RangeSelect
            value={hours}
            ranges={ranges}
            isZoomed={isZoomed}
            choose={(next) => change({ hours: next === '1' ? undefined : next, from: undefined, to: undefined })}
            resetZoom={() => change({ from: undefined, to: undefined })}
          />
        </span>
      }
    >
      {!drawn || !range ? (
        <Pending answer={answer} />
      ) : drawn.at.length === 0 ? (
        <Note icon={Info} title="No data for this period">
          The device did not report. Choose a longer time range.
        </Note>
      ) : (
        <>
          <div className="grid gap-5">
            <LazyTimeChart
              label="Usage"
              {...range}
              at={drawn.at}
              series={drawn.use}
              most={100}
              write={percent}
              zoom={zoom}
            />
            <LazyTimeChart
              label="Network"
              {...range}
              at={drawn.at}
              series={drawn.network}
              write={perSecond}
              zoom={zoom}
            />
          </div>
          <p className="mt-2 pl-16 text-muted text-xs">Drag over a chart to zoom.</p>
        </>
      )}
    </Card>
  )
}
