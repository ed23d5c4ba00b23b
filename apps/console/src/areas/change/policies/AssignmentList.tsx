import type { Assignment } from '@muster/areas/change/device-policies/policies.contract.ts'
import { useTargetNames } from '../../fleet/targets/useTargetNames.ts'
import { kindOfLevel } from './editor/places.ts'
import { levelText } from './words.tsx'

interface Props {
  readonly of: readonly Assignment[]
  /** Stands for an empty list. */
  readonly none?: string
}

/** Places by level and name. */
export function AssignmentList({ of, none = 'None' }: Props) {
  const idsOf = (level: Assignment['level']) => of.flatMap((each) => (each.level === level ? [each.id] : []))
  const nameOf = useTargetNames({ groupIds: idsOf('group'), deviceIds: idsOf('device') })
  if (of.length === 0) return <span className="text-muted">{none}</span>
  return (
    <ul className="grid gap-0.5">
      {of.map(({ level, id }) => (
        <li key={`${level} ${id}`}>
          {level === 'partner' ? 'All organizations' : `${levelText(level)} ${nameOf(kindOfLevel[level], id)}`}
        </li>
      ))}
    </ul>
  )
}
