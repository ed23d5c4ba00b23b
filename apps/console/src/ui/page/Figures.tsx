import type { ReactNode } from 'react'

interface Props {
  /** Each has its name, its value, and what stands below in small type. */
  readonly figures: readonly (readonly [name: string, value: ReactNode, more?: ReactNode])[]
}

const columns: Readonly<Record<number, string>> = { 3: 'sm:grid-cols-3', 5: 'grid-cols-2 md:grid-cols-5' }
const last: Readonly<Record<number, string>> = { 5: 'last:col-span-2 md:last:col-span-1' }

/** A few figures beside each other, in a row of three or five. */
export const Figures = ({ figures }: Props) => (
  <dl className={`grid gap-px overflow-hidden rounded-xl border border-line bg-line ${columns[figures.length] ?? ''}`}>
    {figures.map(([name, value, more]) => (
      <div key={name} className={`grid content-start gap-1 bg-surface px-4 py-3 ${last[figures.length] ?? ''}`}>
        <dt className="text-muted text-xs">{name}</dt>
        <dd className="font-semibold text-lg tabular">{value}</dd>
        {more && <dd className="text-muted text-xs tabular">{more}</dd>}
      </div>
    ))}
  </dl>
)
