import { conflict, invalid } from '@muster/kit/errors.ts'
import { implement } from '../../../operation.ts'
import { isUnlimited } from '../key-limits.ts'
import { keyById, workingKeyById } from '../keys/keys.queries.ts'
import { codes as contract } from './codes.contract.ts'
import { hashOfCode, newInstallCode } from './install-code.ts'
import { installCommand, installCommands } from './install-command.ts'

export default implement(contract, {
  async create(call) {
    const { caller, input, db, services, audit } = call
    const { maxUsage, expiresInSeconds } = input
    const key = await workingKeyById(db, caller, input.id)
    const nowMs = services.clock.now()
    const keyEndsMs = key.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt)
    if (keyEndsMs <= nowMs) throw conflict('The enrollment key has expired')
    const left = key.maxUsage === null ? null : key.maxUsage - key.usageCount
    if (left === 0) throw conflict('The enrollment key has been used up')
    if (left !== null && maxUsage !== null && maxUsage > left)
      throw invalid(`maxUsage: the enrollment key has only ${left} uses left`)
    const expiresAt = new Date(Math.min(nowMs + expiresInSeconds * 1_000, keyEndsMs)).toISOString()
    if (isUnlimited({ maxUsage: maxUsage ?? left, expiresAt }, nowMs)) await call.stepUp()
    const code = newInstallCode()
    const { id: keyId, orgId, partnerId, name } = key
    await db
      .deleteFrom('enrollmentCodes')
      .where('keyId', '=', keyId)
      .where('expiresAt', '<=', new Date(nowMs).toISOString())
      .execute()
    const made = await db
      .insertInto('enrollmentCodes')
      .values({
        ...{ keyId, orgId, partnerId, maxUsage, expiresAt, createdBy: caller.userId },
        codeHash: hashOfCode(services.keyring, code),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    audit({ target: keyId, name, orgId, partnerId, details: { installCodeId: made.id, maxUsage, expiresAt } })
    const { publicUrl } = services.settings
    const command = installCommand(publicUrl)
    return { code, keyId, maxUsage, expiresAt, command, commands: installCommands(publicUrl) }
  },

  async revoke({ caller, input, db, audit }) {
    const { id, orgId, partnerId, name } = await workingKeyById(db, caller, input.id)
    const { numDeletedRows } = await db.deleteFrom('enrollmentCodes').where('keyId', '=', id).executeTakeFirst()
    const revoked = Number(numDeletedRows)
    audit({ target: id, name, orgId, partnerId, details: { revoked } })
    return { revoked }
  },

  async command({ caller, input, db, services }) {
    await keyById(db, caller, input.id)
    const { publicUrl } = services.settings
    return {
      command: installCommand(publicUrl),
      commands: installCommands(publicUrl),
      scriptUrl: `${publicUrl}/api/v1/agents/install.sh`,
    }
  },
})
