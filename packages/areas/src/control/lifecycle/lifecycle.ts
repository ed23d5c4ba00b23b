import { publishGeneration } from '@muster/backplane/generations.ts'
import { quarantinedGeneration, revokedGeneration } from '@muster/backplane/keys.ts'
import { forgetRuns } from '@muster/backplane/runs.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest, conflict } from '@muster/kit/errors.ts'
import {
  deviceById,
  dismissDuplicates,
  keepChanges,
  placeDevice,
  quarantineDevice,
  releaseDevice,
} from '../../fleet/devices/index.ts'
import { deviceChanged, deviceStatus } from '../../fleet/devices/state/device-events.contract.ts'
import { leaveGroups, leaveGroupsOfOtherSites } from '../../fleet/groups/index.ts'
import { implement } from '../../operation.ts'
import { liveEvent, publishEvents } from '../../platform/live-events/index.ts'
import { claimDevices, type Location, requireLocation, requireWorking } from '../../tenancy/tenancy/index.ts'
import { publishCommands, type Target } from '../commands/index.ts'
import { decommissionDevice, lockDevice, moveDevice } from './decommission.ts'
import { lifecycle as contract } from './lifecycle.contract.ts'

export default implement(contract, {
  async update({ caller, input, db, services, audit, afterCommit }) {
    const device = await lockDevice(db, caller, input.id)
    requireWorking({ status: device.organizationStatus })
    const { id, hostname, orgId, partnerId } = device
    const before = await deviceById(db, caller, id, services.clock.now())
    const { displayName = before.displayName, siteId = before.siteId } = input
    if (siteId !== before.siteId) {
      await requireLocation(db, caller, { orgId, siteId })
      await leaveGroupsOfOtherSites(db, id, siteId)
    }
    await placeDevice(db, id, { displayName, siteId })
    const states = {
      before: { displayName: before.displayName, siteId: before.siteId },
      after: { displayName, siteId },
    }
    audit({ target: id, name: hostname, orgId, partnerId, ...states })
    const at = services.clock.now()
    const sites = [...new Set([before.siteId, siteId])]
    const changed = [
      ...(displayName === before.displayName ? [] : ['displayName']),
      ...(siteId === before.siteId ? [] : ['site']),
    ]
    await keepChanges(db, [id], changed)
    // For the watchers of the old site and of the new one.
    const events = sites.flatMap((site) =>
      changed.map((what) =>
        liveEvent(deviceChanged, partnerId, { orgId, siteId: site, deviceId: id, at, changed: what }),
      ),
    )
    afterCommit(() => publishEvents(services.redis, events))
    return deviceById(db, caller, id, at)
  },

  async moveOrg(call) {
    const { caller, input, db, services, audit, afterCommit } = call
    const device = await lockDevice(db, caller, input.id)
    requireWorking({ status: device.organizationStatus })
    if (device.lifecycle === 'provisioned') throw conflict('The device has not enrolled yet')
    const { id, hostname, partnerId } = device
    const { orgId, siteId } = input
    await requireDestination(db, caller, device, { orgId, siteId })
    await leaveGroups(db, id, 'moved')
    const at = services.clock.now()
    const cancelled = await moveDevice(call, device, { orgId, siteId })
    await keepChanges(db, [id], ['organization'])
    // The count of the new organization includes the device already.
    await claimDevices(db, { partnerId, orgId }, 0)
    const from = { orgId: device.orgId, siteId: device.siteId }
    audit({ target: id, name: hostname, orgId, partnerId, before: from, after: { orgId, siteId } })
    // For the watchers of the old organization and of the new one.
    const events = [from, { orgId, siteId }].map((place) =>
      liveEvent(deviceChanged, partnerId, { ...place, deviceId: id, at, changed: 'moved' }),
    )
    afterCommit(() => publishEvents(services.redis, events))
    afterCommit(() => publishCommands(services, cancelled, () => device))
    return deviceById(db, caller, id, at)
  },

  async remove(call) {
    const { caller, input, db, services, audit, afterCommit } = call
    const device = await lockDevice(db, caller, input.id)
    requireWorking({ status: device.organizationStatus })
    if (device.lifecycle === 'decommissioned') throw conflict('The device is already decommissioned')
    const { id, hostname, orgId, partnerId, siteId, lifecycle } = device
    const at = services.clock.now()
    const cancelled = await decommissionDevice(call, id, new Date(at).toISOString())
    await leaveGroups(db, id, 'decommissioned')
    const states = { before: { lifecycle }, after: { lifecycle: 'decommissioned' } }
    audit({ target: id, name: hostname, orgId, partnerId, ...states })
    // Closes open sockets at once. If it fails, the worker repairs the generations within a minute.
    afterCommit(() => publishGeneration(services.redis, id, revokedGeneration))
    afterCommit(() => forgetRuns(services.redis, id))
    const event = liveEvent(deviceStatus, partnerId, { orgId, siteId, deviceId: id, at, status: 'decommissioned' })
    afterCommit(() => publishEvents(services.redis, [event]))
    afterCommit(() => publishCommands(services, cancelled, () => device))
    return { success: true as const }
  },

  async quarantine({ caller, input, db, services, audit, afterCommit }) {
    const device = await lockDevice(db, caller, input.id)
    requireWorking({ status: device.organizationStatus })
    const { id, hostname, orgId, partnerId, siteId } = device
    const at = services.clock.now()
    const quarantined = await quarantineDevice(db, id, input.reason, new Date(at).toISOString())
    if (quarantined === undefined) throw conflict(`The device is ${device.lifecycle}`)
    const states = { before: { lifecycle: device.lifecycle }, after: { lifecycle: 'quarantined' } }
    audit({ target: id, name: hostname, orgId, partnerId, ...states, details: { reason: input.reason } })
    afterCommit(() => publishGeneration(services.redis, id, quarantinedGeneration))
    const event = liveEvent(deviceStatus, partnerId, { orgId, siteId, deviceId: id, at, status: 'quarantined' })
    afterCommit(() => publishEvents(services.redis, [event]))
    return deviceById(db, caller, id, at)
  },

  async release({ caller, input, db, services, audit, afterCommit }) {
    const device = await lockDevice(db, caller, input.id)
    requireWorking({ status: device.organizationStatus })
    const { id, hostname, orgId, partnerId, siteId } = device
    const released = await releaseDevice(db, id)
    if (released === undefined) throw conflict('The device is not quarantined')
    audit({
      target: id,
      name: hostname,
      orgId,
      partnerId,
      ...{ before: { lifecycle: 'quarantined' }, after: { lifecycle: 'active' } },
    })
    const at = services.clock.now()
    afterCommit(async () => {
      await forgetRuns(services.redis, id)
      await publishGeneration(services.redis, id, released.keyGeneration)
    })
    const event = liveEvent(deviceStatus, partnerId, { orgId, siteId, deviceId: id, at, status: 'offline' })
    afterCommit(() => publishEvents(services.redis, [event]))
    return deviceById(db, caller, id, at)
  },

  async dismissDuplicates({ caller, input, db, services, audit }) {
    const device = await lockDevice(db, caller, input.id)
    requireWorking({ status: device.organizationStatus })
    const { id, hostname, orgId, partnerId } = device
    const by = { userId: caller.userId, at: new Date(services.clock.now()).toISOString() }
    const dismissed = await dismissDuplicates(db, id, input.deviceId, by)
    if (dismissed.length === 0) throw conflict('There is no such notice')
    audit({ target: id, name: hostname, orgId, partnerId, details: { notSameMachineAs: dismissed } })
    return { dismissed }
  },
})

/** Where the device may go: another organization of its partner, with a site of its own or none. */
async function requireDestination(db: Db, caller: Caller, device: Target, location: Location): Promise<void> {
  const { id, partnerId } = await requireLocation(db, caller, location)
  if (partnerId !== device.partnerId) throw badRequest('A device can only move within its partner')
  if (id === device.orgId) throw conflict('The device is in this organization already')
}
