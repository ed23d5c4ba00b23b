import type { Job } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { Changes } from '../live/tell-changed.ts'
import { takeTurn } from './turn.ts'

const turnsMs = 100
/** So long the next turns follow at once while something changes. */
const busyMs = 1_000
const turnsAtOnce = 20
/** A turn that failed is not repeated before. */
const failedMs = 5_000

// The ends of commands are found by their mark, so that the writer of the ends touches no row of a deployment.
const findDue = {
  name: 'find-due-deployments',
  text: `SELECT id FROM deployments WHERE next_at <= now()
    UNION SELECT deployment_id FROM deployment_devices WHERE unread LIMIT ${turnsAtOnce}`,
}

/** Takes the turns that are due. One that fails delays no other. @returns whether something changed */
async function takeTurns(parts: WorkerParts, notBefore: Map<string, number>, changes: Changes): Promise<boolean> {
  let isChanged = false
  const { rows } = await parts.pool.query<{ id: string }>(findDue)
  for (const { id } of rows) {
    if ((notBefore.get(id) ?? 0) > Date.now()) continue
    notBefore.delete(id)
    try {
      const change = await takeTurn(parts, id)
      if (change === null) continue
      changes.note(id, change)
      isChanged = true
    } catch (error) {
      notBefore.set(id, Date.now() + failedMs)
      parts.log.error({ err: error, deploymentId: id }, 'The turn of a deployment failed and is repeated')
    }
  }
  const due = changes.take(Date.now())
  if (due.length > 0) await parts.publish(due)
  return isChanged
}

/** Every worker takes turns. A deployment is taken by one of them at a time. */
export const deploymentTurns: Job = {
  name: 'deployment-turns',
  when: { everyMs: turnsMs },
  by: 'every worker',
  begin(parts) {
    const notBefore = new Map<string, number>()
    const changes = new Changes()
    return async () => {
      // While commands end, places are free again at once.
      const until = Date.now() + busyMs
      while ((await takeTurns(parts, notBefore, changes)) && Date.now() < until);
    }
  },
}
