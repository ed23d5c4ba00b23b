import 'uplot/dist/uPlot.min.css'
import { use, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import UPlot from 'uplot'
import { useAppearance } from '../page/theme.ts'
import { TimeContext, useTimes } from '../text/time.tsx'
import { timeTicks } from './timeTicks.ts'

export interface Series {
  readonly label: string
  readonly color: 1 | 2 | 3 | 4
  readonly values: readonly (number | null)[]
}
interface Props {
  readonly label: string
  /** The range that was asked for, in seconds since 1970. The axis shows all of it. */
  readonly from: number
  readonly to: number
  /** Moments in seconds since 1970. */
  readonly at: readonly number[]
  readonly series: readonly Series[]
  /** The top of the scale, where it is known; otherwise it follows the values. */
  readonly most?: number
  write(value: number): string
  /** The user dragged over a range, in seconds since 1970. */
  zoom(from: number, to: number): void
}

const height = 150
const pixelsPerTick = 76
/** The charts of a page point at the same moment. A range is dragged over in one of them. */
const sync = {
  key: 'charts',
  filters: { pub: (type: string) => type === 'mousemove' || type === 'mouseleave' },
}
/** In pixels; less is a click. */
const leastDrag = 8
const swatches = { 1: 'bg-chart-1', 2: 'bg-chart-2', 3: 'bg-chart-3', 4: 'bg-chart-4' }

/** The canvas knows no custom properties, so a color is read from an element that uses it. */
function colorOf(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--color-${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const newestIn = (values: readonly (number | null)[]) => values.findLast((value) => value !== null) ?? null

/** The range that was dragged over, in seconds since 1970, with its band removed; null for a click. */
function takeSelection(chart: UPlot): { from: number; to: number } | null {
  const { left, width } = chart.select
  if (width === 0) return null
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  if (width < leastDrag) return null
  return { from: Math.floor(chart.posToVal(left, 'x')), to: Math.ceil(chart.posToVal(left + width, 'x')) }
}

/** Values over time. The legend has the values under the pointer, else the newest. */
export function TimeChart({ label, from, to, at, series, most, write, zoom }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<UPlot>(null)
  // New samples do not make a new chart: a range may be dragged over at that moment.
  const latest = useRef({ from, to, most })
  latest.current = { from, to, most }
  const appearance = useAppearance()
  const { timezone } = use(TimeContext)
  const { tick } = useTimes()
  const [pointed, setPointed] = useState<number | null>(null)
  const data = useMemo<UPlot.AlignedData>(() => [[...at], ...series.map(({ values }) => [...values])], [at, series])
  // As text, so that the lines stay the same while their names and colors do.
  const names = JSON.stringify(series.map(({ label: name, color }) => ({ label: name, color })))
  const lines: readonly Pick<Series, 'label' | 'color'>[] = useMemo(() => JSON.parse(names), [names])
  const [ready, setReady] = useState(0)
  const zoomed = useEffectEvent(zoom)
  // The other appearance has other colors.
  useEffect(() => {
    const box = place.current
    if (!box) return
    const [ink, line] = [colorOf('muted'), colorOf('line')]
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px Inter Variable' }
    const chart = new UPlot(
      {
        width: box.clientWidth,
        height,
        padding: [8, 30, 0, 0],
        cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false, setScale: false }, sync },
        legend: { show: false },
        hooks: {
          setCursor: [({ cursor }) => setPointed(cursor.idx ?? null)],
          setSelect: [
            (chart) => {
              const range = takeSelection(chart)
              if (range) zoomed(range.from, range.to)
            },
          ],
        },
        scales: {
          x: { time: true, range: () => [latest.current.from, latest.current.to] },
          y: { range: (_chart, _min, max) => [0, latest.current.most ?? Math.max(1, max * 1.1)] },
        },
        axes: [
          {
            ...axis,
            size: 28,
            splits: ({ width }, _axis, min, max) => timeTicks(min, max, width / pixelsPerTick, timezone),
            values: (_chart, ticks) => ticks.map(tick),
          },
          { ...axis, size: 64, values: (_chart, ticks) => ticks.map(write) },
        ],
        series: [
          {},
          ...lines.map(({ label: name, color }) => ({
            label: name,
            stroke: colorOf(`chart-${color}`),
            width: 1.5,
            points: { show: false },
            spanGaps: false,
          })),
        ],
      },
      [[], ...lines.map(() => [])],
      box,
    )
    drawn.current = chart
    setReady((now) => now + 1)
    const watch = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }))
    watch.observe(box)
    return () => {
      watch.disconnect()
      chart.destroy()
      drawn.current = null
    }
  }, [lines, write, appearance, timezone, tick])
  // A new chart and another range need the samples again.
  useEffect(() => drawn.current?.setData(data), [data, from, to, most, ready])
  const newest = series.map(({ label: name, values }) => {
    const value = newestIn(values)
    return `${name} ${value === null ? 'unknown' : write(value)}`
  })
  return (
    <figure aria-label={`${label}: ${newest.join(', ')}`} className="min-w-0">
      <div ref={place} aria-hidden />
      <Legend at={at} series={series} write={write} pointed={pointed} />
    </figure>
  )
}

/** The values under the pointer, else the newest. */
function Legend({
  at,
  series,
  write,
  pointed,
}: Pick<Props, 'at' | 'series' | 'write'> & { readonly pointed: number | null }) {
  const { moment } = useTimes()
  const valueIn = (values: readonly (number | null)[]) => {
    const value = pointed === null ? newestIn(values) : (values[pointed] ?? null)
    return value === null ? '–' : write(value)
  }
  const shownAt = pointed === null ? undefined : at[pointed]
  return (
    <div aria-hidden className="flex flex-wrap gap-x-4 pl-16 text-muted text-xs tabular">
      {series.map(({ label: name, color, values }) => (
        <span key={name} className="flex items-center gap-1.5">
          <span className={`size-2 rounded-full ${swatches[color]}`} />
          {name} {valueIn(values)}
        </span>
      ))}
      <span>{shownAt === undefined ? 'latest' : moment(new Date(shownAt * 1000).toISOString())}</span>
    </div>
  )
}
