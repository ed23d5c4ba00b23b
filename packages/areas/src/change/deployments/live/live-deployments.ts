import { asCaller } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type Call, implement } from '../../../operation.ts'
import { liveEventsOf } from '../../../platform/live-events/index.ts'
import { isLimited, reachesWholePartner } from '../../../tenancy/tenancy/index.ts'
import { visibleDeployments } from '../deployments.queries.ts'
import { live as contract, deploymentChanged, LiveDeployment } from './live-deployments.contract.ts'

/** Whether the caller sees all deployments of the partner, or of the organization, so that the event tells enough. */
const seesAll = (caller: Caller): boolean =>
  reachesWholePartner(caller) || (caller.scope === 'organization' && !isLimited(caller))

/** Others are asked of the database, because the targets of a deployment and the reach of a member change. */
async function sees({ services, caller }: Pick<Call, 'services' | 'caller'>, deploymentId: string): Promise<boolean> {
  const found = await asCaller(services.people, caller, 'read', (db) =>
    db
      .selectFrom('deployments as d')
      .select('d.id')
      .where('d.id', '=', deploymentId)
      .where(visibleDeployments(caller))
      .executeTakeFirst(),
  )
  return found !== undefined
}

export default implement(contract, {
  async *events({ caller, input, services, request }) {
    const wanted = input.deploymentIds && new Set(input.deploymentIds)
    const events = await liveEventsOf(services).watch({
      kinds: [deploymentChanged],
      partnerId: caller.scope === 'system' ? null : caller.partnerId,
      signal: request.signal,
      accepts: ({ orgId, deploymentId }) =>
        (caller.scope !== 'organization' || orgId === caller.orgId) && wanted?.has(deploymentId) !== false,
    })
    yield { type: 'resync' as const, at: services.clock.now() }
    for await (const event of events) {
      const known = LiveDeployment.safeParse(event)
      if (!known.success) continue
      const { data } = known
      if (data.type === 'resync' || seesAll(caller) || (await sees({ services, caller }, data.deploymentId))) yield data
    }
  },
})
