import type { Job } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { takeTurn } from './turn.ts'

const turnsMs = 100
const turnsAtOnce = 20
/** A turn that failed is not repeated before. */
const failedMs = 5_000

// The ends of commands are found by their mark, so that the writer of the ends touches no row of a deployment.
const findDue = {
  name: 'find-due-deployments',
  text: `SELECT id FROM deployments WHERE next_at <= now()
    UNION SELECT deployment_id FROM deployment_devices WHERE unread LIMIT ${turnsAtOnce}`,
}

/** Takes the turns that are due. One that fails delays no other. */
async function takeTurns(parts: WorkerParts, notBefore: Map<string, number>): Promise<void> {
  const { rows } = await parts.pool.query<{ id: string }>(findDue)
  for (const { id } of rows) {
    if ((notBefore.get(id) ?? 0) > Date.now()) continue
    notBefore.delete(id)
    try {
      await takeTurn(parts, id)
    } catch (error) {
      notBefore.set(id, Date.now() + failedMs)
      parts.log.error({ err: error, deploymentId: id }, 'The turn of a deployment failed and is repeated')
    }
  }
}

/** Every worker takes turns. A deployment is taken by one of them at a time. */
export const deploymentTurns: Job = {
  name: 'deployment-turns',
  when: { everyMs: turnsMs },
  by: 'every worker',
  begin(parts) {
    const notBefore = new Map<string, number>()
    return () => takeTurns(parts, notBefore)
  },
}
