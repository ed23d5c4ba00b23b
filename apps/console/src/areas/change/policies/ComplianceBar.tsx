import type { Counts } from '@muster/areas/change/device-policies/compliance/counts.contract.ts'
import { count } from '../../../ui/text/quantity.ts'

const parts = [
  ['compliant', 'compliant', 'bg-good'],
  ['nonCompliant', 'not compliant', 'bg-bad'],
  ['error', 'error', 'bg-warn'],
  ['pending', 'pending', 'bg-accent'],
  ['exempt', 'exempt', 'bg-line-strong'],
] as const

/** The devices of a policy by their compliance, in words. */
export const countsText = (counts: Counts): string =>
  parts.flatMap(([name, word]) => (counts[name] === 0 ? [] : [`${count(counts[name])} ${word}`])).join(', ') ||
  'no devices'

/** How many devices comply, as a bar and as numbers. */
export function ComplianceBar({ counts }: { readonly counts: Counts }) {
  const whole = parts.reduce((sum, [name]) => sum + counts[name], 0)
  if (whole === 0) return <span className="text-muted">–</span>
  const words = countsText(counts)
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span role="img" aria-label={words} title={words} className="flex h-2 w-full overflow-hidden rounded bg-sunken">
        {parts.map(([name, , color]) => (
          <span key={name} className={color} style={{ width: `${(100 * counts[name]) / whole}%` }} />
        ))}
      </span>
      <span aria-hidden className="shrink-0 text-muted text-xs tabular">
        {count(counts.compliant)} / {count(whole)}
      </span>
    </span>
  )
}
