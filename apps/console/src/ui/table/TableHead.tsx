import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { CheckField } from '../form/fields.tsx'
import { setColumnWidth } from './chosenWidths.ts'
import type { Column } from './column.ts'

export interface Sorting {
  readonly by: string
  readonly dir: 'asc' | 'desc'
  set(by: string, dir: 'asc' | 'desc'): void
}

export interface Selection {
  has(id: string): boolean
  readonly all: 'all' | 'some' | 'none'
  readonly toggle: (id: string, on: boolean) => void
  toggleAll(on: boolean): void
}

interface HeadProps<Row> {
  readonly table: string
  readonly columns: readonly Column<Row>[]
  readonly template: string
  readonly sorting: Sorting | undefined
  readonly selection: Selection | undefined
}
/** The headings of a table, which sort it and select all of its rows. */
export function Head<Row>({ table, columns, template, sorting, selection }: HeadProps<Row>) {
  return (
    <div role="rowgroup" className="sticky top-0 z-10 border-line border-b bg-surface">
      <div role="row" aria-rowindex={1} className="grid items-center" style={{ gridTemplateColumns: template }}>
        {selection && (
          <span role="columnheader" className="flex justify-center">
            <CheckField
              hideLabel
              label="Select all"
              checked={selection.all === 'all'}
              mixed={selection.all === 'some'}
              onChange={selection.toggleAll}
            />
          </span>
        )}
        {columns.map((column) => (
          <HeaderCell key={column.id} table={table} column={column} sorting={sorting} />
        ))}
      </div>
    </div>
  )
}

interface CellProps<Row> {
  readonly table: string
  readonly column: Column<Row>
  readonly sorting: Sorting | undefined
}
function HeaderCell<Row>({ table, column, sorting }: CellProps<Row>) {
  const { header, sort, align, tip } = column
  const base = `relative truncate px-2.5 py-2 text-left font-medium text-muted text-xs ${align === 'end' ? 'text-right' : ''}`
  if (sort === undefined || sorting === undefined)
    return (
      <span role="columnheader" title={tip} className={base}>
        {header}
        <Edge table={table} column={column} />
      </span>
    )
  const isSorted = sorting.by === sort
  const Icon = isSorted ? (sorting.dir === 'asc' ? ArrowUp : ArrowDown) : ChevronsUpDown
  return (
    <span
      role="columnheader"
      aria-sort={isSorted ? (sorting.dir === 'asc' ? 'ascending' : 'descending') : 'none'}
      className={base}
      onKeyDown={(event) => widenByKey(event, table, column)}
    >
      <button
        type="button"
        className={`group inline-flex items-center gap-1 rounded hover:text-ink ${isSorted ? 'text-ink' : ''}`}
        onClick={() => sorting.set(sort, isSorted && sorting.dir === 'asc' ? 'desc' : 'asc')}
      >
        {header}
        <Icon
          aria-hidden
          className={`size-3 ${isSorted ? '' : 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100'}`}
        />
      </button>
      <Edge table={table} column={column} />
    </span>
  )
}

const keyStep = 16

/** Shift with the arrows changes the width of the column whose heading has the focus. */
function widenByKey<Row>(
  { key, shiftKey, currentTarget }: KeyboardEvent<HTMLElement>,
  table: string,
  { id }: Column<Row>,
) {
  if (!shiftKey || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return
  setColumnWidth(table, id, currentTarget.offsetWidth + (key === 'ArrowRight' ? keyStep : -keyStep))
}

/** The right edge of a heading. Dragging it changes the width of the column, a double click restores it. */
function Edge<Row>({ table, column: { id, header } }: Omit<CellProps<Row>, 'sorting'>) {
  const begun = useRef<number | null>(null)
  if (header === 'Actions') return null
  return (
    <span
      aria-hidden
      data-edge={id}
      className="absolute inset-y-0 right-0 w-1.5 cursor-col-resize touch-none hover:bg-accent-soft"
      onPointerDown={({ currentTarget, pointerId, clientX }) => {
        currentTarget.setPointerCapture(pointerId)
        begun.current = (currentTarget.parentElement?.offsetWidth ?? 0) - clientX
      }}
      onPointerMove={({ clientX }) => {
        if (begun.current !== null) setColumnWidth(table, id, begun.current + clientX)
      }}
      onPointerUp={() => {
        begun.current = null
      }}
      onDoubleClick={() => setColumnWidth(table, id, undefined)}
    />
  )
}
