import type { ReactNode } from 'react'

/** The name of a row, which opens it over the list. */
export function RowButton({ open, children }: { open(): void; readonly children: ReactNode }) {
  return (
    <button
      type="button"
      className="block max-w-full truncate rounded text-left font-medium hover:text-accent-text"
      onClick={open}
    >
      {children}
    </button>
  )
}
