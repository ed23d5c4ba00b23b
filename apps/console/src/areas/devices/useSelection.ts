import { useMemo, useState } from 'react'
import type { Selection } from '../../ui/DataTable.tsx'

interface Chosen {
  /** All that match, also those that were not scrolled to yet, but for `ids`; otherwise `ids` alone. */
  readonly isAll: boolean
  readonly ids: ReadonlySet<string>
}
const nobody: Chosen = { isAll: false, ids: new Set() }

/** Which devices of a list are selected, over all of its pages. Another question is another selection. */
export function useSelection(question: string, total: number) {
  const [state, setState] = useState<{ readonly question: string; readonly chosen: Chosen }>({
    question,
    chosen: nobody,
  })
  const chosen = state.question === question ? state.chosen : nobody
  return useMemo(() => {
    const { isAll, ids } = chosen
    const set = (next: Chosen) => setState({ question, chosen: next })
    const count = isAll ? Math.max(0, total - ids.size) : ids.size
    const selection: Selection = {
      has: (id) => ids.has(id) !== isAll,
      all: count === 0 ? 'none' : count >= total ? 'all' : 'some',
      toggle(id, on) {
        const next = new Set(ids)
        if (on === isAll) next.delete(id)
        else next.add(id)
        set({ isAll, ids: next })
      },
      toggleAll: (on) => set(on ? { isAll: true, ids: new Set() } : nobody),
    }
    return { selection, count, isAll, ids, clear: () => set(nobody) }
  }, [chosen, question, total])
}
export type DeviceSelection = ReturnType<typeof useSelection>
