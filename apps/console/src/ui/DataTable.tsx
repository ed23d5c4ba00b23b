import { columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { CheckField } from './fields.tsx'
import { Failure, Loading } from './states.tsx'
import { MissingRow, Row as TableRow } from './TableRow.tsx'

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
  readonly toggle: (id: string, on: boolean) => void
  toggleAll(on: boolean): void
}

interface Answer {
  readonly isPending: boolean
  readonly error: unknown
  refetch(): unknown
}

/** A long list of which only what is in sight is there. */
export interface Windowed<Row> {
  readonly total: number
  /** Another question begins at the top. */
  readonly question: string
  at(index: number): Row | undefined
  /** Tells which rows are in sight, so that they are fetched. */
  see(first: number, last: number): void
}

/** What of the list is in sight, counted from 1, and the way to another part. */
export interface Sight {
  readonly first: number
  readonly last: number
  jump(row: number): void
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
  readonly footer?: ReactNode | ((sight: Sight) => ReactNode)
  readonly windowed?: Windowed<Row>
  rowId(row: Row): string
  rowLabel?(row: Row): string
  /** The last rows are in sight: more can be fetched. */
  onEnd?(): void
}

type Scroller = Pick<Virtualizer<HTMLDivElement, Element>, 'range' | 'scrollToIndex'>
const features = tableFeatures({ columnVisibilityFeature })
const rowHeight = 42
/** Rows drawn beyond what is in sight, so that scrolling finds them there; at the very first few, so that they are there soon. */
const beyond = { usual: 14, first: 2 }
const nothing: Readonly<Record<string, boolean>> = {}
const noRows: never[] = []

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
      {rows.length > 0 && typeof footer !== 'function' && footer}
    </div>
  )
}

function Rows<Row extends object>(props: Props<Row>) {
  const { label, columns, rows, total, sorting, selection, visible = nothing, windowed, footer, onEnd } = props
  const { rowId, rowLabel } = props
  const scroller = useRef<HTMLDivElement>(null)
  const shown = useShown(columns, visible)
  const count = windowed?.total ?? rows.length
  const rowAt = windowed?.at ?? ((index: number) => rows[index])
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: useDeferredValue(beyond.usual, beyond.first),
    // Until the table is measured it counts as being as high as the window, so that there are rows in the first drawing.
    initialRect: { width: 0, height: window.innerHeight },
  })
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    if (last >= count - 60) onEnd?.()
  }, [last, count, onEnd])
  const see = windowed?.see
  useEffect(() => see?.(first, last), [see, first, last])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question begins at the top
  useEffect(() => {
    scroller.current?.scrollTo(0, 0)
  }, [windowed?.question])
  const template = [
    ...(selection ? ['2.5rem'] : []),
    ...shown.map(({ width, grow = 0 }) => (grow > 0 ? `minmax(${width}px, ${grow}fr)` : `${width}px`)),
  ].join(' ')
  const minWidth = shown.reduce((sum, { width }) => sum + width, selection ? 40 : 0)
  return (
    <>
      <div ref={scroller} tabIndex={0} className="min-h-0 flex-1 overflow-auto">
        <div role="table" aria-label={label} aria-rowcount={(total ?? count) + 1} style={{ minWidth }}>
          <Head columns={shown} template={template} sorting={sorting} selection={selection} />
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const row = rowAt(index)
              const place = { height: rowHeight, transform: `translateY(${start}px)` }
              if (row === undefined) return <MissingRow key={index} index={index} style={place} />
              const id = rowId(row)
              return (
                <TableRow
                  key={id}
                  {...{ row, id, index, start, template }}
                  height={rowHeight}
                  columns={shown}
                  chosen={selection?.has(id) ?? false}
                  label={rowLabel?.(row) ?? id}
                  toggle={selection?.toggle}
                />
              )
            })}
          </div>
        </div>
      </div>
      {typeof footer === 'function' && footer(sightOf(virtual, count))}
    </>
  )
}

/** The columns that are not hidden; the same list for as long as nothing about them changes. */
function useShown<Row>(columns: readonly Column<Row>[], visible: Readonly<Record<string, boolean>>) {
  const defs = useMemo(() => columns.map(({ id, header }) => ({ id, header })), [columns])
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map(({ id, hidden = false }) => [id, visible[id] ?? !hidden])),
    [columns, visible],
  )
  const table = useTable({ features, columns: defs, data: noRows, state: { columnVisibility } })
  const leaves = table.getVisibleLeafColumns()
  return useMemo(() => {
    const byId = new Map(columns.map((column) => [column.id, column]))
    return leaves.flatMap(({ id }) => byId.get(id) ?? [])
  }, [columns, leaves])
}

function sightOf({ range, scrollToIndex }: Scroller, count: number): Sight {
  return {
    first: (range?.startIndex ?? 0) + 1,
    last: Math.min(count, (range?.endIndex ?? 0) + 1),
    jump: (row) => scrollToIndex(Math.max(0, Math.min(count, row) - 1), { align: 'start' }),
  }
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly template: string
  readonly sorting: Sorting | undefined
  readonly selection: Selection | undefined
}
function Head<Row>({ columns, template, sorting, selection }: HeadProps<Row>) {
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
