import type { Follower } from '@muster/areas/background/follower.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import { adoptRestored, beginCursors, dueFollowers, followOnce } from '@muster/areas/platform/events/index.ts'
import type { Service } from '@muster/kit/service.ts'
import { followersMs, followersQuietAfterMs, followersQuietMs } from '../limits.ts'
import { periodic } from './periodic.ts'

/** Hands events to followers. All workers do this; each follower is served by one of them at a time. */
export function createFollowers(followers: readonly Follower[], parts: WorkerParts): Service {
  const { pool, log } = parts
  const running = new Map<string, Promise<void>>()
  let hasBegun = false
  let isStopping = false
  let dueAt = 0
  const follow = async (follower: Follower) => {
    try {
      while (!isStopping && (await followOnce(follower, parts)));
    } catch (error) {
      log.warn({ err: error, follower: follower.name }, 'Events are not followed at the moment')
    } finally {
      running.delete(follower.name)
    }
  }
  const waitMs = () => (Date.now() - dueAt > followersQuietAfterMs ? followersQuietMs : followersMs)
  const looking = periodic('followers', waitMs, log, async () => {
    if (followers.length === 0) return
    const names = followers.map(({ name }) => name)
    if (!hasBegun) await beginCursors(pool, names)
    hasBegun = true
    const { due, isRestored } = await dueFollowers(pool, names)
    if (isRestored) await adoptRestored(pool)
    if (due.length > 0) dueAt = Date.now()
    for (const follower of followers)
      if (due.includes(follower.name) && !running.has(follower.name)) running.set(follower.name, follow(follower))
  })
  return {
    ...looking,
    async drain() {
      isStopping = true
      await looking.drain()
      await Promise.all(running.values())
    },
  }
}
