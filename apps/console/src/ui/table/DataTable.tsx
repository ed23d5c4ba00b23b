import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useDensity } from '../page/density.ts'
import { Failure, Loading } from '../page/states.tsx'
import { useColumnWidths } from './chosenWidths.ts'
import { type Column, fitColumns } from './column.ts'
import { withWidths } from './columnWidths.ts'
import { Head, type Selection, type Sorting } from './TableHead.tsx'
import { MissingRow, Row as TableRow } from './TableRow.tsx'

export type { Column } from './column.ts'
export type { Selection } from './TableHead.tsx'

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
const rowHeights = { compact: 34, comfortable: 42 } as const
/** On phones a row is a card: the columns that do not fit are below, two in a line. */
const belowHeight = 22
const phoneWidth = 600
const belowMax = 8
const noColumns: readonly never[] = []
const selectionWidth = 40
/** Rows drawn beyond what is in sight, so that scrolling finds them there; at the very first few, so that they are there soon. */
const beyond = { usual: 14, first: 2 }
const nothing: Readonly<Record<string, boolean>> = {}

/** All lists of the console: sortable, selectable, virtual, fitted to its width, with its empty, loading and failed states. */
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
  const { label, rows, total, sorting, selection, windowed, footer, onEnd } = props
  const { rowId, rowLabel } = props
  const scroller = useRef<HTMLDivElement>(null)
  const wanted = useWantedColumns(props)
  const width = useWidth(scroller)
  const [showsAll, setShowsAll] = useState(false)
  const taken = selection ? selectionWidth : 0
  const { shown, left } = useMemo(
    () => fitColumns(wanted, (width ?? Number.POSITIVE_INFINITY) - taken),
    [wanted, width, taken],
  )
  const drawn = showsAll ? wanted : shown
  const isPhone = width !== null && width < phoneWidth && !showsAll
  const below = useMemo(() => (isPhone ? left.slice(0, belowMax) : noColumns), [isPhone, left])
  const rowHeight = rowHeights[useDensity()]
  const height = rowHeight + Math.ceil(below.length / 2) * belowHeight
  const count = windowed?.total ?? rows.length
  const rowAt = windowed?.at ?? ((index: number) => rows[index])
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: useDeferredValue(beyond.usual, beyond.first),
    // Until the table is measured it counts as being as high as the window, so that there are rows in the first drawing.
    initialRect: { width: 0, height: window.innerHeight },
  })
  // Measures again when the rows have another height.
  useLayoutEffect(() => virtual.measure(), [height, virtual.measure])
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    if (last >= count - 60) onEnd?.()
  }, [last, count, onEnd])
  const see = windowed?.see
  useEffect(() => see?.(first, last), [see, first, last])
  // Another question begins at the top.
  useEffect(() => {
    scroller.current?.scrollTo(0, 0)
  }, [windowed?.question])
  const template = [
    ...(selection ? ['2.5rem'] : []),
    ...drawn.map(({ width: least, grow = 0 }) => (grow > 0 ? `minmax(${least}px, ${grow}fr)` : `${least}px`)),
  ].join(' ')
  const minWidth = drawn.reduce((sum, column) => sum + column.width, taken)
  const choose = useRangeChoice(selection, rowAt, rowId)
  return (
    <>
      <div ref={scroller} tabIndex={0} className="min-h-0 flex-1 overflow-auto">
        <div role="table" aria-label={label} aria-rowcount={(total ?? count) + 1} style={{ minWidth }}>
          <Head table={label} columns={drawn} template={template} sorting={sorting} selection={selection} />
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const row = rowAt(index)
              const place = { height, transform: `translateY(${start}px)` }
              if (row === undefined) return <MissingRow key={index} index={index} style={place} />
              const id = rowId(row)
              return (
                <TableRow
                  key={id}
                  {...{ row, id, index, start, template }}
                  height={height}
                  columns={drawn}
                  below={below}
                  chosen={selection?.has(id) ?? false}
                  label={rowLabel?.(row) ?? id}
                  choose={selection && choose}
                />
              )
            })}
          </div>
        </div>
      </div>
      {left.length > below.length && (
        <LeftOut columns={left.slice(below.length)} showsAll={showsAll} change={setShowsAll} />
      )}
      {typeof footer === 'function' && footer(sightOf(virtual, count))}
    </>
  )
}

/** The columns that the user wants to see, with the chosen widths. */
function useWantedColumns<Row extends object>({ label, columns, visible = nothing }: Props<Row>) {
  const widths = useColumnWidths()
  return useMemo(() => {
    const wanted = columns.filter(({ id, hidden = false }) => visible[id] ?? !hidden)
    return withWidths(wanted, label, widths)
  }, [columns, visible, label, widths])
}

/** The width that the table has, without its scroll bar; null until it is measured. */
function useWidth(element: RefObject<HTMLElement | null>): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setWidth(current.clientWidth)
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(current)
    return () => watch.disconnect()
  }, [element])
  return width
}

interface LeftOutProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly showsAll: boolean
  change(showsAll: boolean): void
}
/** Says which columns a narrow window hides. */
function LeftOut<Row>({ columns, showsAll, change }: LeftOutProps<Row>) {
  const names = columns.map(({ header }) => header).join(', ')
  return (
    <p className="flex items-center justify-between gap-3 border-line border-t px-3 py-1 text-muted text-xs">
      <span className="truncate" title={names}>
        {showsAll ? 'Scroll sideways to see all columns' : `Hidden on narrow windows: ${names}`}
      </span>
      <button
        type="button"
        className="shrink-0 rounded font-medium text-accent-text"
        aria-pressed={showsAll}
        onClick={() => change(!showsAll)}
      >
        {showsAll ? 'Fit columns' : 'Show all columns'}
      </button>
    </p>
  )
}

/** Selects a row, or with Shift all rows from the one before to this one. */
function useRangeChoice<Row>(
  selection: Selection | undefined,
  rowAt: (index: number) => Row | undefined,
  rowId: (row: Row) => string,
) {
  const anchor = useRef<number | null>(null)
  const latest = useRef({ rowAt, rowId })
  latest.current = { rowAt, rowId }
  const toggle = selection?.toggle
  return useCallback(
    (index: number, on: boolean, isRange: boolean) => {
      const from = isRange && anchor.current !== null ? anchor.current : index
      for (let at = Math.min(from, index); at <= Math.max(from, index); at++) {
        const row = latest.current.rowAt(at)
        if (row !== undefined) toggle?.(latest.current.rowId(row), on)
      }
      anchor.current = index
    },
    [toggle],
  )
}

function sightOf({ range, scrollToIndex }: Scroller, count: number): Sight {
  return {
    first: (range?.startIndex ?? 0) + 1,
    last: Math.min(count, (range?.endIndex ?? 0) + 1),
    jump: (row) => scrollToIndex(Math.max(0, Math.min(count, row) - 1), { align: 'start' }),
  }
}
