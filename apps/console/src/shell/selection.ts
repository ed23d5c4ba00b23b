import type { LucideIcon } from 'lucide-react'
import { createStore } from '../session/store.ts'

/** The selected rows of the list on the screen, and what can be done with them. */
interface SelectedRows {
  /** Such as “20 devices”. */
  readonly label: string
  readonly actions: readonly {
    readonly label: string
    readonly icon: LucideIcon
    readonly words?: string
    act(): void
  }[]
}

/** Lists set it while rows are selected. The palette offers the actions. */
export const selectedRows = createStore<SelectedRows | null>(null)
