import type { ExecutionSummary } from '@muster/areas/change/scripts/executions/executions.contract.ts'
import { Link } from '@tanstack/react-router'
import { capital } from '../../../../ui/text/words.ts'

/** What sent a run: a person, or a deployment, which is linked. */
export function RunOrigin({ origin }: Pick<ExecutionSummary, 'origin'>) {
  if (origin === null) return 'Person'
  const { kind, id } = origin
  if (kind !== 'deployment') return capital(kind)
  return (
    <Link to="/deployments/$deploymentId" params={{ deploymentId: id }} className="rounded underline">
      Deployment
    </Link>
  )
}
