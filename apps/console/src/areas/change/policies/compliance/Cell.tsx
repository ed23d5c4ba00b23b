import type { Counts } from '@muster/areas/change/device-policies/compliance/counts.contract.ts'
import { Ban, Check, CircleDashed, type LucideIcon, TriangleAlert } from 'lucide-react'
import { count } from '../../../../ui/text/quantity.ts'
import { percentText } from '../words.tsx'

interface Props {
  readonly percent: number | null
  readonly counts?: Counts
  /** The counts, for readers of the screen and as a tip. */
  readonly words: string
}

/** Below this share a cell is marked as bad. */
const poorBelow = 80

/** A color, and a mark of another shape, so that the color is not needed. */
function lookOf(percent: number | null): readonly [string, LucideIcon] {
  if (percent === null) return ['bg-sunken text-muted', CircleDashed]
  if (percent === 100) return ['bg-good-soft text-good-text', Check]
  return percent < poorBelow ? ['bg-bad-soft text-bad-text', Ban] : ['bg-warn-soft text-warn-text', TriangleAlert]
}

/** The compliance of an organization with a policy. */
export function Cell({ percent, counts, words }: Props) {
  const [look, Mark] = lookOf(percent)
  return (
    <span title={words} className={`relative flex items-center gap-1.5 rounded px-2 py-1.5 tabular ${look}`}>
      <Mark aria-hidden className="size-3.5 shrink-0" />
      <span aria-hidden className="font-medium">
        {percentText(percent)}
      </span>
      {counts && (
        <span aria-hidden className="ml-auto text-xs">
          {count(counts.compliant)}/{count(counts.devices - counts.notApplicable)}
        </span>
      )}
      <span className="sr-only">{words}</span>
    </span>
  )
}
