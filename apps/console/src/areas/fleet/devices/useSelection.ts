import { useCallback, useMemo, useState } from 'react'
import type { Selection } from '../../../ui/DataTable.tsx'

interface Chosen {
  /** All that match, also those that were not scrolled to yet, but for `ids`; otherwise `ids` alone. */
  readonly isAll: boolean
  readonly ids: ReadonlySet<string>
}
const nobody: Chosen = { isAll: false, ids: new Set() }

/** Which devices of a list are selected, over all of its pages. Another question is another selection. */
export function useSelection(question: string, total: number) {
  const [chosen, setChosen] = useState(nobody)
  const [asked, setAsked] = useState(question)
  if (asked !== question) {
    setAsked(question)
    setChosen(nobody)
  }
  // The same for good: rows that are not concerned are not drawn anew.
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
      toggleAll: (on) => setChosen(on ? { isAll: true, ids: new Set() } : nobody),
    }
    return { selection, count, isAll, ids, clear: () => setChosen(nobody) }
  }, [chosen, total, toggle])
}
export type DeviceSelection = ReturnType<typeof useSelection>
