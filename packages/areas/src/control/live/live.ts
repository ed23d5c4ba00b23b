import type { LiveEvent } from '@muster/backplane/live.ts'
import { maySee } from '../../fleet/devices/index.ts'
import { implement } from '../../operation.ts'
import { liveEventsOf } from '../../platform/live-events/index.ts'
import { live as contract, DeviceEvent } from './live.contract.ts'
import { watchedGroupsOf } from './watched-groups.ts'

export default implement(contract, {
  async *events({ caller, input, services, request }) {
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
        partnerId: caller.scope === 'system' ? null : caller.partnerId,
        signal,
        accepts: (event: LiveEvent) =>
          maySee(caller, event, inGroups) && orgs(event.orgId) && sites(event.siteId) && devices(event.deviceId),
        begins: (tell) => {
          resync = tell
        },
      })
      yield { type: 'resync' as const, at: services.clock.now() }
      for await (const event of events) {
        const known = DeviceEvent.safeParse(event)
        // Processes of a newer version may tell what this one does not know.
        if (known.success) yield known.data
      }
    } finally {
      left.abort()
    }
  },
})

/** A filter that lets everything through when nothing was chosen. */
function chosen(ids: readonly string[] | undefined): (id: string | null) => boolean {
  if (ids === undefined) return () => true
  const wanted = new Set(ids)
  return (id) => id !== null && wanted.has(id)
}
