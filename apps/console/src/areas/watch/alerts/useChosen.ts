import { useCallback, useState } from 'react'
import type { Selection } from '../../../ui/table/DataTable.tsx'

interface Chosen<Row> {
  readonly rows: readonly Row[]
  readonly selection: Selection
  clear(): void
}

/** The rows of a page that are selected. Rows that leave the page are not selected. */
export function useChosen<Row extends { readonly id: string }>(rows: readonly Row[]): Chosen<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter(({ id }) => ids.has(id))
  const toggle = useCallback(
    (id: string, on: boolean) =>
      setIds((now) => (on ? new Set([...now, id]) : new Set([...now].filter((each) => each !== id)))),
    [],
  )
  return {
    rows: chosen,
    clear: () => setIds(new Set()),
    selection: {
      has: (id) => ids.has(id),
      all: chosen.length === 0 ? 'none' : chosen.length === rows.length ? 'all' : 'some',
      toggle,
      toggleAll: (on) => setIds(new Set(on ? rows.map(({ id }) => id) : [])),
    },
  }
}
