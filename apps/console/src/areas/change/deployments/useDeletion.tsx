import type { DeploymentSummary } from '@muster/areas/change/deployments/deployments.contract.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'

interface Deletion {
  /** Why the deployment cannot be deleted; undefined when it can. */
  blockedFor(deployment: DeploymentSummary): string | undefined
  ask(deployment: DeploymentSummary): void
  readonly dialog: ReactNode
}

const deletable: readonly DeploymentSummary['status'][] = ['draft', 'ready', 'completed', 'cancelled']

/** Deletes deployments that were not started or have ended, after a question. */
export function useDeletion(): Deletion {
  const [asked, setAsked] = useState<DeploymentSummary>()
  const may = useCan()('automations:delete')
  const remove = useApiMutation((id: string) => api.deployments.deployments.remove.mutate({ id }), {
    refresh: ['deployments.deployments.list'],
    done: () => toast('Deployment deleted'),
  })
  return {
    blockedFor: ({ status }) =>
      may
        ? deletable.includes(status)
          ? undefined
          : 'Cancel the deployment first'
        : 'You don’t have permission to delete automations',
    ask: setAsked,
    dialog: asked && (
      <Confirm
        open
        close={() => setAsked(undefined)}
        title={`Delete “${asked.name}”?`}
        verb="Delete deployment"
        danger
        act={() => remove.mutateAsync(asked.id)}
      >
        The deployment and the outcomes of its devices are deleted. Runs and commands stay.
      </Confirm>
    ),
  }
}
