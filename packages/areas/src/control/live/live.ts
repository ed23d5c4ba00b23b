import { asCaller } from '@muster/db/database.ts'
import { maySee } from '../../fleet/devices/index.ts'
import { deviceChanged, deviceHeartbeat, deviceStatus } from '../../fleet/devices/state/device-events.contract.ts'
import { implement } from '../../operation.ts'
import { liveEventsOf } from '../../platform/live-events/index.ts'
import { requireOrganizationsInReach } from '../../tenancy/tenancy/index.ts'
import { commandChanged } from '../commands/command-events.contract.ts'
import { live as contract, DeviceEvent } from './live.contract.ts'
import { watchedGroupsOf } from './watched-groups.ts'

export default implement(contract, {
  async *events({ caller, input, services, request }) {
    const { orgIds = [] } = input
    if (orgIds.length > 0) {
      await asCaller(services.people, caller, 'read', (db) => requireOrganizationsInReach(db, caller, orgIds))
    }
    const orgs = chosen(input.orgIds)
    const sites = chosen(input.siteIds)
    const devices = chosen(input.deviceIds)
    const left = new AbortController()
    const signal = AbortSignal.any([request.signal, left.signal])
    let resync = () => {}
    try {
      const inGroups =
        caller.deviceGroupIds && (await watchedGroupsOf(services).watch(caller.deviceGroupIds, signal, () => resync()))
      const events = await liveEventsOf(services).watch({
        kinds: [deviceStatus, deviceHeartbeat, deviceChanged, commandChanged],
        partnerId: caller.scope === 'system' ? null : caller.partnerId,
        signal,
        accepts: (event) =>
          maySee(caller, event, inGroups) && orgs(event.orgId) && sites(event.siteId) && devices(event.deviceId),
        begins: (send) => {
          resync = send
        },
      })
      yield { type: 'resync' as const, at: services.clock.now() }
      for await (const event of events) {
        const known = DeviceEvent.safeParse(event)
        // A process of a newer version may publish events that this version does not know.
        if (known.success) yield known.data
      }
    } finally {
      left.abort()
    }
  },
})

/** Accepts any id if none were chosen. */
function chosen(ids: readonly string[] | undefined): (id: string | null) => boolean {
  if (ids === undefined) return () => true
  const wanted = new Set(ids)
  return (id) => id !== null && wanted.has(id)
}
