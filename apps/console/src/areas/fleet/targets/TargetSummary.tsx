import { FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import type { Places } from '@muster/areas/fleet/targets/targets.contract.ts'
import { many } from '../../../ui/text/quantity.ts'
import { conditionsIn } from '../filters/draft.ts'
import { kindWords } from './PlacePicker.tsx'
import { isNothing, type Named, placeKinds, targetDraftOf } from './targetDraft.ts'
import { useTargetNames } from './useTargetNames.ts'

interface Props {
  readonly targets: Places & { readonly filter?: unknown }
  readonly exclude: Places
}

/** Targets in words. */
export function TargetSummary({ targets, exclude }: Props) {
  const draft = targetDraftOf({ targets, exclude })
  const conditions = conditionsIn(FilterExpression.safeParse(targets.filter).data)
  return (
    <ul className="grid gap-0.5">
      {isNothing(draft.targets) ? <li>All devices</li> : <Names named={draft.targets} />}
      {conditions > 0 && <li>Only those that match a filter of {many(conditions, 'condition')}</li>}
      <Names named={draft.exclude} before="Without " />
    </ul>
  )
}

function Names({ named, before = '' }: { readonly named: Named; readonly before?: string }) {
  const nameOf = useTargetNames(named)
  return placeKinds.flatMap((kind) =>
    named[kind].map((id) => (
      <li key={`${kind} ${id}`}>
        {before}
        {kindWords[kind]} {nameOf(kind, id)}
      </li>
    )),
  )
}
