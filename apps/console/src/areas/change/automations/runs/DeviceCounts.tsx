import type { RunSummary } from '@muster/areas/change/automations/runs/runs.contract.ts'
import { count, many } from '../../../../ui/text/quantity.ts'

/** The devices of a run by how they ended, as a bar with their number. */
export function DeviceCounts({ run: { devices, dryRun } }: { readonly run: Pick<RunSummary, 'devices' | 'dryRun'> }) {
  const { total, succeeded, failed, skipped } = devices
  if (total === 0) return <span className="text-muted">–</span>
  if (dryRun) return <span className="text-muted tabular">{many(total, 'device')}</span>
  const words = `${many(total, 'device')}: ${succeeded} succeeded, ${failed} failed, ${skipped} skipped`
  const parts = [
    [succeeded, 'bg-good'],
    [failed, 'bg-bad'],
    [skipped, 'bg-line-strong'],
  ] as const
  return (
    <span className="flex items-center gap-2">
      <span role="img" aria-label={words} title={words} className="flex h-2 w-full overflow-hidden rounded bg-sunken">
        {parts.map(([of, color]) => (
          <span key={color} className={color} style={{ width: `${(100 * of) / total}%` }} />
        ))}
      </span>
      <span className="shrink-0 text-muted text-xs tabular">
        {count(succeeded + failed + skipped)} / {count(total)}
      </span>
    </span>
  )
}
