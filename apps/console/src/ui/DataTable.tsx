import { columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { CheckField } from './fields.tsx'
import { Failure, Loading } from './states.tsx'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** The least width in pixels; what is left over is shared by `grow`. */
  readonly width: number
  readonly grow?: number
  readonly align?: 'end'
  /** The name under which the server sorts by it. */
  readonly sort?: string
  /** Starts hidden; the column chooser brings it. */
  readonly hidden?: boolean
  readonly cell: (row: Row) => ReactNode
  /** As text, for exports; without it the column is not exported. */
  readonly text?: (row: Row) => string | number | null
}

export interface Sorting {
  readonly by: string
  readonly dir: 'asc' | 'desc'
  set(by: string, dir: 'asc' | 'desc'): void
}

export interface Selection {
  has(id: string): boolean
  readonly all: 'all' | 'some' | 'none'
  toggle(id: string, on: boolean): void
  toggleAll(on: boolean): void
}

interface Answer {
  readonly isPending: boolean
  readonly error: unknown
  refetch(): unknown
}

interface Props<Row> {
  /** What the table lists, for readers of the screen. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly answer: Answer
  /** Shown when there is no row: why, and what to do. */
  readonly empty: ReactNode
  readonly total?: number | undefined
  readonly sorting?: Sorting
  readonly selection?: Selection
  readonly visible?: Readonly<Record<string, boolean>>
  readonly footer?: ReactNode
  rowId(row: Row): string
  rowLabel?(row: Row): string
  /** The last rows are in sight: more can be fetched. */
  onEnd?(): void
}

const features = tableFeatures({ columnVisibilityFeature })
const rowHeight = 42
const nothing: Readonly<Record<string, boolean>> = {}

/** Every list of the console: sortable, selectable, virtual, with its empty, loading and failed states. */
export function DataTable<Row extends object>(props: Props<Row>) {
  const { rows, answer, empty, footer } = props
  const body =
    rows.length > 0 ? (
      <Rows {...props} />
    ) : answer.isPending ? (
      <Loading lines={9} />
    ) : answer.error ? (
      <Failure error={answer.error} again={() => answer.refetch()} />
    ) : (
      empty
    )
  return (
    <div data-list className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface">
      {body}
      {rows.length > 0 && footer}
    </div>
  )
}

function Rows<Row extends object>(props: Props<Row>) {
  const { label, columns, rows, total, sorting, selection, visible = nothing, rowId, rowLabel, onEnd } = props
  const scroller = useRef<HTMLDivElement>(null)
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns])
  const defs = useMemo(() => columns.map(({ id, header }) => ({ id, header })), [columns])
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map(({ id, hidden = false }) => [id, visible[id] ?? !hidden])),
    [columns, visible],
  )
  const table = useTable({ features, columns: defs, data: rows, getRowId: rowId, state: { columnVisibility } })
  const shown = table.getVisibleLeafColumns().flatMap(({ id }) => byId.get(id) ?? [])
  const { rows: tableRows } = table.getRowModel()
  const virtual = useVirtualizer({
    count: tableRows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => tableRows[index]?.id ?? index,
    overscan: 14,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= tableRows.length - 60) onEnd?.()
  }, [last, tableRows.length, onEnd])

  const grid = {
    gridTemplateColumns: [
      ...(selection ? ['2.5rem'] : []),
      ...shown.map(({ width, grow = 0 }) => (grow > 0 ? `minmax(${width}px, ${grow}fr)` : `${width}px`)),
    ].join(' '),
  }
  const minWidth = shown.reduce((sum, { width }) => sum + width, selection ? 40 : 0)
  return (
    <div ref={scroller} tabIndex={0} className="min-h-0 flex-1 overflow-auto">
      <div role="table" aria-label={label} aria-rowcount={(total ?? tableRows.length) + 1} style={{ minWidth }}>
        <div role="rowgroup" className="sticky top-0 z-10 border-line border-b bg-surface">
          <div role="row" aria-rowindex={1} className="grid items-center" style={grid}>
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
            {shown.map((column) => (
              <HeaderCell key={column.id} column={column} sorting={sorting} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = tableRows[index]
            if (row === undefined) return null
            const chosen = selection?.has(row.id) ?? false
            return (
              <div
                key={key}
                role="row"
                data-row={row.id}
                aria-rowindex={index + 2}
                className={`absolute inset-x-0 top-0 grid items-center border-line border-b ${chosen ? 'bg-accent-soft' : 'hover:bg-hover focus-within:bg-hover'}`}
                style={{ ...grid, height: rowHeight, transform: `translateY(${start}px)` }}
              >
                {selection && (
                  <span role="cell" className="flex justify-center">
                    <CheckField
                      hideLabel
                      label={`Select ${rowLabel?.(row.original) ?? row.id}`}
                      checked={chosen}
                      onChange={(on) => selection.toggle(row.id, on)}
                    />
                  </span>
                )}
                {shown.map(({ id, align, cell }) => (
                  <span key={id} role="cell" className={`truncate px-3 ${align === 'end' ? 'text-right tabular' : ''}`}>
                    {cell(row.original)}
                  </span>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function HeaderCell<Row>({ column, sorting }: { readonly column: Column<Row>; readonly sorting: Sorting | undefined }) {
  const { header, sort, align } = column
  const base = `truncate px-3 py-2 text-left font-medium text-muted text-xs ${align === 'end' ? 'text-right' : ''}`
  if (sort === undefined || sorting === undefined)
    return (
      <span role="columnheader" className={base}>
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
        className={`inline-flex items-center gap-1 rounded hover:text-ink ${isSorted ? 'text-ink' : ''}`}
        onClick={() => sorting.set(sort, isSorted && sorting.dir === 'asc' ? 'desc' : 'asc')}
      >
        {header}
        <Icon aria-hidden className="size-3" />
      </button>
    </span>
  )
}
