import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** The least width in pixels; `grow` shares what is left over. */
  readonly width: number
  readonly grow?: number
  readonly align?: 'end'
  /** The name by which the server sorts. */
  readonly sort?: string
  /** Beside the header, when it is pointed at. */
  readonly tip?: string
  /** Hidden until the column menu shows it. */
  readonly hidden?: boolean
  /** Never hidden to make a table fit, as the first column. */
  readonly pinned?: boolean
  readonly cell: (row: Row) => ReactNode
  /** As text, for exports; without it the column is not exported. */
  readonly text?: (row: Row) => string | number | null
}

export interface Fit<Row> {
  readonly shown: readonly Column<Row>[]
  /** Left out because the table is too narrow. */
  readonly left: readonly Column<Row>[]
}

/** The columns that a width has room for. The last ones give way first, except those with the actions of a row. */
export function fitColumns<Row>(columns: readonly Column<Row>[], room: number): Fit<Row> {
  const left = new Set<Column<Row>>()
  let needed = columns.reduce((sum, { width }) => sum + width, 0)
  for (const [index, column] of [...columns.entries()].reverse()) {
    if (needed <= room) break
    if (index === 0 || column.pinned || column.header === 'Actions') continue
    left.add(column)
    needed -= column.width
  }
  return { shown: columns.filter((column) => !left.has(column)), left: columns.filter((column) => left.has(column)) }
}
