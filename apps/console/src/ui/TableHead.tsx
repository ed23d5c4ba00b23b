import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { Column } from './column.ts'
import { CheckField } from './fields.tsx'

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
  readonly columns: readonly Column<Row>[]
  readonly template: string
  readonly sorting: Sorting | undefined
  readonly selection: Selection | undefined
}
/** The headings of a table, which sort it and select all of its rows. */
export function Head<Row>({ columns, template, sorting, selection }: HeadProps<Row>) {
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
          <HeaderCell key={column.id} column={column} sorting={sorting} />
        ))}
      </div>
    </div>
  )
}

function HeaderCell<Row>({ column, sorting }: { readonly column: Column<Row>; readonly sorting: Sorting | undefined }) {
  const { header, sort, align, tip } = column
  const base = `truncate px-2.5 py-2 text-left font-medium text-muted text-xs ${align === 'end' ? 'text-right' : ''}`
  if (sort === undefined || sorting === undefined)
    return (
      <span role="columnheader" title={tip} className={base}>
        {header}
      </span>
    )
  const isSorted = sorting.by === sort
  const Icon = isSorted ? (sorting.dir === 'asc' ? ArrowUp : ArrowDown) : ChevronsUpDown
  return (
    <span
      role="columnheader"
      aria-sort={isSorted ? (sorting.dir === 'asc' ? 'ascending' : 'descending') : 'none'}
      className={base}
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
    </span>
  )
}
