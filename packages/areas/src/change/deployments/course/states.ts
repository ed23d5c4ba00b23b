// Which steps a deployment takes from which state.
import { conflict } from '@muster/kit/errors.ts'
import type { DeploymentStatus } from '../deployments.contract.ts'

/** It can be changed and deleted: no device was sent the order. */
export const isUnstarted = (status: DeploymentStatus): boolean => status === 'draft' || status === 'ready'

export const hasEnded = (status: DeploymentStatus): boolean => status === 'completed' || status === 'cancelled'

const steps = {
  initialize: ['draft', 'ready'],
  start: ['ready'],
  pause: ['scheduled', 'running'],
  resume: ['paused', 'halted'],
  cancel: ['draft', 'ready', 'awaiting_approval', 'scheduled', 'running', 'paused', 'halted'],
  retry: ['running', 'halted', 'completed'],
} as const satisfies Record<string, readonly DeploymentStatus[]>

const participles = {
  initialize: 'initialized',
  start: 'started',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'canceled',
  retry: 'retried',
} as const

/** @throws CONFLICT naming the state */
export function requireStep(step: keyof typeof steps, status: DeploymentStatus): void {
  const from: readonly DeploymentStatus[] = steps[step]
  if (from.includes(status)) return
  throw conflict(
    `The deployment is ${status} and cannot be ${participles[step]}. That is possible while it is ${from.join(', ')}`,
  )
}
