import type { Column } from './column.ts'

export type Widths = Readonly<Record<string, number>>
const [least, most] = [48, 1_200]

/** The widths that the user chose in this browser, by `table/column`. What makes no sense counts as absent. */
export function widthsIn(stored: string | null): Widths {
  try {
    const given: unknown = JSON.parse(stored ?? '{}')
    const entries = Object.entries(typeof given === 'object' && given !== null ? given : {})
    return Object.fromEntries(
      entries.flatMap(([name, width]) => (typeof width === 'number' ? [[name, bounded(width)]] : [])),
    )
  } catch {
    return {}
  }
}

export const bounded = (width: number) => Math.round(Math.min(most, Math.max(least, width)))

/** The columns of a table with the chosen widths. */
export const withWidths = <Row>(columns: readonly Column<Row>[], table: string, given: Widths): Column<Row>[] =>
  columns.map((column) => {
    const width = given[`${table}/${column.id}`]
    return width === undefined ? column : { ...column, width, grow: 0 }
  })
