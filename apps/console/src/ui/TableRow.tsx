import { type CSSProperties, memo } from 'react'
import type { Column } from './DataTable.tsx'
import { CheckField } from './fields.tsx'

interface Props<Row> {
  readonly row: Row
  readonly id: string
  readonly index: number
  /** Where it stands, in pixels from the top of the list. */
  readonly start: number
  readonly height: number
  readonly template: string
  readonly columns: readonly Column<Row>[]
  readonly chosen: boolean
  readonly label: string
  /** Chooses it or not, where rows can be chosen. */
  readonly toggle: ((id: string, on: boolean) => void) | undefined
}

const base = 'absolute inset-x-0 top-0 grid items-center border-line border-b'

function TableRow<Row>(props: Props<Row>) {
  const { row, id, index, start, height, template, columns, chosen, label, toggle } = props
  return (
    <div
      role="row"
      data-row={id}
      aria-rowindex={index + 2}
      className={`${base} ${chosen ? 'bg-accent-soft' : 'hover:bg-hover focus-within:bg-hover'}`}
      style={{ gridTemplateColumns: template, height, transform: `translateY(${start}px)` }}
    >
      {toggle && (
        <span role="cell" className="flex justify-center">
          <CheckField hideLabel label={`Select ${label}`} checked={chosen} onChange={(on) => toggle(id, on)} />
        </span>
      )}
      {columns.map(({ id: column, align, cell }) => (
        <span key={column} role="cell" className={`truncate px-3 ${align === 'end' ? 'text-right tabular' : ''}`}>
          {cell(row)}
        </span>
      ))}
    </div>
  )
}

/** A row of a table, drawn anew only when something of it changed, however fast the list is scrolled. */
export const Row = memo(TableRow) as typeof TableRow

/** Where a row will be once it is there. */
export function MissingRow({ index, style }: { readonly index: number; readonly style: CSSProperties }) {
  return (
    <div role="row" aria-busy aria-rowindex={index + 2} className={base} style={style}>
      <span role="cell" className="col-span-full px-3">
        <span className="block h-3 w-2/5 rounded bg-line" />
      </span>
    </div>
  )
}
