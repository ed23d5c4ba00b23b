import { count } from '../../../ui/text/quantity.ts'

interface Props {
  readonly label: string
  readonly points: readonly { readonly at: string; readonly value: number | null }[]
  readonly threshold: number | null
}
const width = 300
const height = 56

const short = (value: number) => count(Math.round(value * 100) / 100)

/** Figures up to the opening of an alert, with the threshold as a line. */
export function Sparkline({ label, points, threshold }: Props) {
  const known = points.flatMap(({ at, value }) => (value === null ? [] : [{ ms: Date.parse(at), value }]))
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined) return null
  const values = known.map(({ value }) => value)
  const most = Math.max(...values, threshold ?? 0, 1e-9)
  const x = (ms: number) => (last.ms === first.ms ? width : ((ms - first.ms) / (last.ms - first.ms)) * width)
  const y = (value: number) => height - (Math.max(0, value) / most) * (height - 4) - 2
  return (
    <figure className="grid gap-1">
      <figcaption className="flex justify-between gap-3 text-sm">
        <span>{label}</span>
        <span className="text-muted tabular">
          {short(last.value)} at the end, from {short(Math.min(...values))} to {short(Math.max(...values))}
        </span>
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="h-14 w-full rounded-md bg-sunken"
      >
        {threshold !== null && (
          <line
            x1={0}
            x2={width}
            y1={y(threshold)}
            y2={y(threshold)}
            className="stroke-bad"
            strokeDasharray="4 3"
            vectorEffect="non-scaling-stroke"
          />
        )}
        <polyline
          points={known.map(({ ms, value }) => `${x(ms)},${y(value)}`).join(' ')}
          fill="none"
          className="stroke-accent"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </figure>
  )
}
