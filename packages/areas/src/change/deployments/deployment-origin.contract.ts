import { Origin } from '../../control/commands/plans/origin.contract.ts'

/** What made a deployment by itself: a run of an automation. */
export const DeploymentOrigin = Origin.pick({ kind: true, id: true, run: true, cause: true })
