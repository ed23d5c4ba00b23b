import { implement } from '../../operation.ts'
import { claimDevices } from '../../tenancy/tenancy/index.ts'
import { deviceById, prepareDevice } from '../devices/index.ts'
import { installCommand, installCommands } from './codes/install-command.ts'
import { newKeySecret } from './keys/key-secret.ts'
import { tenantForKey } from './keys/key-tenant.ts'
import { provision as contract } from './provision.contract.ts'

export default implement(contract, {
  async create({ caller, input, db, services, audit }) {
    const { orgId, siteId, expiresInSeconds, ...preparation } = input
    const partnerId = await tenantForKey(db, caller, { orgId, siteId })
    await claimDevices(db, { partnerId, orgId })
    const { id: deviceId } = await prepareDevice(db, { orgId, partnerId, siteId }, preparation)
    const { key, ...stored } = newKeySecret(services.keyring)
    const nowMs = services.clock.now()
    const serverUrl = services.settings.publicUrl
    const expiresAt = new Date(nowMs + expiresInSeconds * 1_000).toISOString()
    const { id: keyId } = await db
      .insertInto('enrollmentKeys')
      .values({
        ...stored,
        orgId,
        partnerId,
        siteId,
        deviceId,
        name: input.hostname,
        maxUsage: 1,
        expiresAt,
        createdBy: caller.userId,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    audit({ target: deviceId, name: input.hostname, orgId, partnerId, details: { enrollmentKeyId: keyId } })
    return {
      device: await deviceById(db, caller, deviceId, nowMs),
      enrollment: {
        key,
        keyId,
        serverUrl,
        installCommand: installCommand(serverUrl),
        installCommands: installCommands(serverUrl),
        expiresAt,
      },
    }
  },
})
