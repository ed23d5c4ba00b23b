import { conflict } from '@muster/kit/errors.ts'
import { setAutoUpdate } from '../../../fleet/devices/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { requireWorking } from '../../../tenancy/tenancy/index.ts'
import { requireReach } from '../bulk/blast-radius.ts'
import { commandType } from '../command-registry.ts'
import type { Command } from '../commands.contract.ts'
import { type Target, targetById } from '../commands.queries.ts'
import { deliverAfter } from '../delivery/deliver-command.ts'
import { issueBeforeJudging } from '../orders/issue-command.ts'
import { autoUpdate as contract } from './auto-update.contract.ts'
import { publishSetting } from './update-setting.ts'

export default implement(contract, {
  async set(call) {
    const { caller, input, db, services, audit, afterCommit } = call
    const { id: deviceId, enabled } = input
    const target = await targetById(db, caller, deviceId)
    const { hostname, orgId, partnerId, organizationStatus } = target
    const isActive = target.lifecycle === 'active'
    requireWorking({ status: organizationStatus })
    if (target.policyAutoUpdate !== null)
      throw conflict('A configuration policy decides on this device whether the agent updates itself')
    if (isActive) await requireReach(call, 'set_auto_update', [target])
    const { autoUpdate: was } = await db
      .selectFrom('devices')
      .select('autoUpdate')
      .where('id', '=', deviceId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    const states = { before: { autoUpdate: was }, after: { autoUpdate: enabled } }
    audit({ target: deviceId, name: hostname, orgId, partnerId, ...states })
    if (isActive) return { deviceId, autoUpdate: enabled, command: await tellAgent(call, target, enabled) }
    await setAutoUpdate(db, [deviceId], enabled)
    afterCommit(() => publishSetting(services, [target]))
    return { deviceId, autoUpdate: enabled, command: null }
  },
})

/** The setting is sent as a command, so that it also reaches a device that is offline now. */
async function tellAgent(call: Call, target: Target, enabled: boolean): Promise<Command> {
  const { caller, services } = call
  const { timeoutMs, expiresInSeconds } = commandType('set_auto_update')
  const expiresAt = new Date(services.clock.now() + expiresInSeconds * 1_000).toISOString()
  const order = {
    type: 'set_auto_update',
    payload: { enabled },
    timeoutMs,
    expiresAt,
    respectMaintenance: true,
    createdBy: caller.userId,
    byOrganization: caller.scope === 'organization',
  } as const
  const issued = await issueBeforeJudging(call, target.id, order, async () => target)
  deliverAfter(call, issued, [target])
  return issued.command
}
