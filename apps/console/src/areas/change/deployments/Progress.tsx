import type { Counts } from '@muster/areas/change/deployments/deployments.contract.ts'
import { many } from '../../../ui/text/quantity.ts'
import { deviceStatuses, endedOf } from './words.tsx'

const colors = [
  ['succeeded', 'bg-good'],
  ['failed', 'bg-bad'],
  ['expired', 'bg-warn'],
  ['running', 'bg-accent'],
  ['queued', 'bg-accent-soft'],
  ['held', 'bg-warn-soft'],
  ['skipped', 'bg-line-strong'],
  ['cancelled', 'bg-line-strong'],
] as const

/** The devices of a deployment or a batch by status, as a bar. */
export function Progress({ counts }: { readonly counts: Counts }) {
  const parts = deviceStatuses.flatMap(([status, word]) =>
    counts[status] === 0 ? [] : [`${counts[status]} ${word.toLowerCase()}`],
  )
  const words = `${endedOf(counts)} of ${many(counts.total, 'device')} ended: ${parts.join(', ')}`
  return (
    <div role="img" aria-label={words} title={words} className="flex h-2 w-full overflow-hidden rounded bg-sunken">
      {colors.map(([status, color]) => (
        <span
          key={status}
          className={color}
          style={{ width: `${(100 * counts[status]) / Math.max(1, counts.total)}%` }}
        />
      ))}
    </div>
  )
}
