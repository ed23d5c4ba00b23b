interface Props {
  /** Percent of the fleet that each stage reaches, growing. */
  readonly stages: readonly number[]
  /** The current stage, counted from 1. */
  readonly stage: number
  /** The share of reached devices that run the version, between 0 and 1. */
  readonly share: number
  readonly tone: 'good' | 'accent' | 'warn' | 'bad'
}

const size = 180
const middle = size / 2
const width = 11
const gap = 4
const colors = { good: 'stroke-good', accent: 'stroke-accent', warn: 'stroke-warn', bad: 'stroke-bad' }

/** The stages of a rollout as concentric rings. Finished stages are full, the current one fills up. */
export function Rings({ stages, stage, share, tone }: Props) {
  const percent = Math.round(share * 100)
  const words = `Stage ${stage} of ${stages.length}: ${stages[stage - 1] ?? 0} percent of the fleet, ${percent} percent of those reached run the version`
  return (
    <svg role="img" aria-label={words} viewBox={`0 0 ${size} ${size}`} className="size-44 shrink-0">
      {stages.map((reach, index) => {
        const radius = middle - width / 2 - (stages.length - 1 - index) * (width + gap)
        if (radius < width) return null
        const length = 2 * Math.PI * radius
        const filled = index + 1 < stage ? 1 : index + 1 === stage ? share : 0
        return (
          <g key={reach} fill="none" strokeWidth={width}>
            <circle cx={middle} cy={middle} r={radius} className="stroke-line" />
            {filled > 0 && (
              <circle
                cx={middle}
                cy={middle}
                r={radius}
                className={index + 1 < stage ? 'stroke-good' : colors[tone]}
                strokeDasharray={`${length * filled} ${length}`}
                strokeLinecap={filled < 1 ? 'round' : 'butt'}
                transform={`rotate(-90 ${middle} ${middle})`}
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}
