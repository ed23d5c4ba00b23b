import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '../button/Button.tsx'

interface Props {
  readonly page: number
  readonly limit: number
  readonly total: number
  set(page: number): void
}

/** Which part of a list is shown, and the way to the others. */
export function Pages({ page, limit, total, set }: Props) {
  const last = Math.max(1, Math.ceil(total / limit))
  const from = Math.min(total, (page - 1) * limit + 1)
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-between border-line border-t px-3 py-1.5 text-muted text-sm"
    >
      <span className="tabular">
        {from}–{Math.min(total, page * limit)} of {total.toLocaleString('en')}
      </span>
      {last > 1 && (
        <span className="flex items-center gap-1">
          <IconButton
            small
            label="Previous page"
            blocked={page <= 1 && 'This is the first page'}
            onClick={() => set(page - 1)}
          >
            <ChevronLeft aria-hidden className="size-4" />
          </IconButton>
          <span className="tabular">
            {page} / {last}
          </span>
          <IconButton
            small
            label="Next page"
            blocked={page >= last && 'This is the last page'}
            onClick={() => set(page + 1)}
          >
            <ChevronRight aria-hidden className="size-4" />
          </IconButton>
        </span>
      )}
    </nav>
  )
}
