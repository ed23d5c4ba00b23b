import { useCallback, useMemo, useState } from 'react'
import type { Selection } from '../../../../ui/table/DataTable.tsx'

interface Chosen {
  /** Selects all matching devices except `ids`, loaded or not; otherwise `ids` alone. */
  readonly isAll: boolean
  readonly ids: ReadonlySet<string>
}
const nothing: Chosen = { isAll: false, ids: new Set() }

/** The selected devices of a list, over all of its pages. Another query resets the selection. */
export function useSelection(question: string, total: number) {
  const [chosen, setChosen] = useState(nothing)
  const [asked, setAsked] = useState(question)
  if (asked !== question) {
    setAsked(question)
    setChosen(nothing)
  }
  // A stable function, so that unaffected rows are not redrawn.
  const toggle = useCallback(
    (id: string, on: boolean) =>
      setChosen(({ isAll, ids }) => {
        const next = new Set(ids)
        if (on === isAll) next.delete(id)
        else next.add(id)
        return { isAll, ids: next }
      }),
    [],
  )
  return useMemo(() => {
    const { isAll, ids } = chosen
    const count = isAll ? Math.max(0, total - ids.size) : ids.size
    const selection: Selection = {
      has: (id) => ids.has(id) !== isAll,
      all: count === 0 ? 'none' : count >= total ? 'all' : 'some',
      toggle,
      toggleAll: (on) => setChosen(on ? { isAll: true, ids: new Set() } : nothing),
    }
    return { selection, count, isAll, ids, clear: () => setChosen(nothing) }
  }, [chosen, total, toggle])
}
export type DeviceSelection = ReturnType<typeof useSelection>
