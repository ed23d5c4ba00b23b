import type { CorrelationGroup } from '@muster/areas/watch/templates/correlations.contract.ts'
import { Badge } from '../../../ui/page/display.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { AlertLink } from './AlertLink.tsx'

const shownMax = 25

/** How sure it is that alerts belong together. */
export const confidenceText = (confidence: number): string => `${Math.round(confidence * 100)}%`

/** The alerts of a group, its probable cause first, and why they belong together. */
export function GroupDetails({ group }: { readonly group: CorrelationGroup }) {
  const { rootAlertId, alertIds, confidence, evidence } = group
  const others = alertIds.filter((id) => id !== rootAlertId)
  return (
    <div className="grid gap-3 text-sm">
      <p>
        <Badge tone="info">{confidenceText(confidence)} confidence</Badge>
      </p>
      <ul aria-label="Evidence" className="grid list-disc gap-0.5 pl-5 text-muted">
        {evidence.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <section className="grid gap-1">
        <h3 className="font-medium">Probable cause</h3>
        <AlertLink id={rootAlertId} withState />
      </section>
      <section className="grid gap-1">
        <h3 className="font-medium">Probable effects</h3>
        <ul aria-label="Probable effects" className="grid gap-1">
          {others.slice(0, shownMax).map((id) => (
            <li key={id}>
              <AlertLink id={id} withState />
            </li>
          ))}
        </ul>
        {others.length > shownMax && <p className="text-muted">and {many(others.length - shownMax, 'more', 'more')}</p>}
      </section>
    </div>
  )
}
