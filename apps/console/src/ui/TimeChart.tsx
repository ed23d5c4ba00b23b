import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { useTheme } from '../shell/theme.ts'

export interface Series {
  readonly label: string
  readonly colour: 1 | 2 | 3 | 4
  readonly values: readonly (number | null)[]
}
interface Props {
  readonly label: string
  /** Moments in seconds since 1970. */
  readonly at: readonly number[]
  readonly series: readonly Series[]
  /** The top of the scale, where it is known; otherwise it follows the values. */
  readonly most?: number
  write(value: number): string
}

const height = 150

/** The canvas knows no custom properties, so a colour is read off an element that uses it. */
function colourOf(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--color-${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Values over time, with the moment under the pointer written out. Readers of the screen hear the newest values. */
export function TimeChart({ label, at, series, most, write }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const box = place.current
    if (!box) return
    const [ink, line] = [colourOf('muted'), colourOf('line')]
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px Inter Variable' }
    const chart = new UPlot(
      {
        width: box.clientWidth,
        height,
        padding: [8, 8, 0, 0],
        cursor: { y: false, points: { size: 7 } },
        legend: { live: true },
        scales: { y: { range: (_chart, _min, max) => [0, most ?? Math.max(1, max * 1.1)] } },
        axes: [axis, { ...axis, size: 56, values: (_chart, ticks) => ticks.map(write) }],
        series: [
          {},
          ...series.map(({ label: name, colour }) => ({
            label: name,
            stroke: colourOf(`chart-${colour}`),
            width: 1.5,
            points: { show: false },
            spanGaps: false,
            value: (_chart: UPlot, value: number | null) => (value === null ? '–' : write(value)),
          })),
        ],
      },
      [[...at], ...series.map(({ values }) => [...values])],
      box,
    )
    const watch = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }))
    watch.observe(box)
    return () => {
      watch.disconnect()
      chart.destroy()
    }
  }, [at, series, most, write, theme])
  const newest = series.map(({ label: name, values }) => {
    const value = values.findLast((one) => one !== null)
    return `${name} ${value == null ? 'unknown' : write(value)}`
  })
  return (
    <figure aria-label={`${label}: ${newest.join(', ')}`} className="min-w-0">
      <div ref={place} aria-hidden className="muster-chart" />
    </figure>
  )
}
