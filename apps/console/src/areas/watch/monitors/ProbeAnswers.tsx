import type { ProbeAnswer } from '@muster/areas/watch/monitors/monitors.contract.ts'
import { useTargetNames } from '../../fleet/targets/useTargetNames.ts'
import { responseTime, StateBadge } from './words.tsx'

/** What each device found. */
export function ProbeAnswers({ answers }: { readonly answers: readonly ProbeAnswer[] }) {
  const nameOf = useTargetNames({ groupIds: [], deviceIds: answers.map(({ deviceId }) => deviceId) })
  return (
    <ul aria-label="Results" className="grid gap-2">
      {answers.map(({ deviceId, state, responseMs, error }) => (
        <li key={deviceId} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <StateBadge state={state} />
          <span className="font-medium">{nameOf('deviceIds', deviceId)}</span>
          <span className="tabular text-muted">{responseTime(responseMs)}</span>
          {error !== null && <span className="min-w-0 break-words text-muted">{error}</span>}
        </li>
      ))}
    </ul>
  )
}
