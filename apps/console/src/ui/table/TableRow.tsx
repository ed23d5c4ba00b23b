import { type CSSProperties, memo, useRef } from 'react'
import { CheckField } from '../form/fields.tsx'
import type { Column } from './column.ts'

interface Props<Row> {
  readonly row: Row
  readonly id: string
  readonly index: number
  /** Where it stands, in pixels from the top of the list. */
  readonly start: number
  readonly height: number
  readonly template: string
  readonly columns: readonly Column<Row>[]
  /** Below the others with their names, as on a card: for phones. */
  readonly below: readonly Column<Row>[]
  readonly chosen: boolean
  readonly label: string
  /** Selects it or not, where rows can be selected; with Shift, the rows in between too. */
  readonly choose: ((index: number, on: boolean, isRange: boolean) => void) | undefined
}

/** Long names are cut; the tip has them whole. */
const titleOf = (text: string | number | null | undefined) => (typeof text === 'string' ? text : undefined)

const base = 'absolute inset-x-0 top-0 grid items-center border-line border-b'

function TableRow<Row>(props: Props<Row>) {
  const { row, id, index, start, height, template, columns, below, chosen, label, choose } = props
  const isRange = useRef(false)
  return (
    <div
      role="row"
      data-row={id}
      aria-rowindex={index + 2}
      className={`${base} ${chosen ? 'bg-accent-soft' : 'hover:bg-hover focus-within:bg-hover'}`}
      style={{ gridTemplateColumns: template, height, transform: `translateY(${start}px)` }}
    >
      {choose && (
        <span
          role="cell"
          className="flex select-none justify-center"
          onClickCapture={({ shiftKey }) => {
            isRange.current = shiftKey
          }}
        >
          <CheckField
            hideLabel
            label={`Select ${label}`}
            checked={chosen}
            onChange={(on) => choose(index, on, isRange.current)}
          />
        </span>
      )}
      {columns.map(({ id: column, align, cell, text }) => (
        <span
          key={column}
          role="cell"
          title={titleOf(text?.(row))}
          className={`truncate px-2.5 ${align === 'end' ? 'text-right tabular' : ''}`}
        >
          {cell(row)}
        </span>
      ))}
      {below.length > 0 && (
        <span
          role="cell"
          className={`col-span-full -mt-1 grid grid-cols-2 gap-x-3 overflow-hidden whitespace-nowrap pr-2.5 text-xs ${choose ? 'pl-[3.125rem]' : 'pl-2.5'}`}
        >
          {below.map(({ id: column, header, cell }) => (
            <span key={column} className="flex h-[22px] min-w-0 items-center gap-1.5">
              <span className="text-muted">{header}</span>
              <span className="truncate">{cell(row)}</span>
            </span>
          ))}
        </span>
      )}
    </div>
  )
}

/** A row of a table, drawn again only when something of it changed, however fast the list is scrolled. */
export const Row = memo(TableRow) as typeof TableRow

/** Where a row will be once it is there. */
export function MissingRow({ index, style }: { readonly index: number; readonly style: CSSProperties }) {
  return (
    <div role="row" aria-busy aria-rowindex={index + 2} className={base} style={style}>
      <span role="cell" className="col-span-full px-2.5">
        <span className="block h-3 w-2/5 rounded bg-line" />
      </span>
    </div>
  )
}
