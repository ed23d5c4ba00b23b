import { paged } from '@muster/db/page.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { visibleGroups } from '../../../fleet/groups/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { requireWholeOrganization, requireWorkingOrganization, within } from '../../../tenancy/tenancy/index.ts'
import { changeablePolicy, storedPolicyById } from '../policies.queries.ts'
import { Rules } from '../rules/rules.contract.ts'
import { exceptions as contract } from './exceptions.contract.ts'

const columns = [
  'id',
  'policyId',
  'partnerId',
  'orgId',
  'deviceId',
  'groupId',
  'ruleKey',
  'reason',
  'expiresAt',
  'createdBy',
  'createdAt',
  'updatedAt',
] as const

interface Subject {
  readonly deviceId: string | null
  readonly groupId: string | null
}

/** The organization of the device or group. @throws VALIDATION_ERROR unless there is one of them, which the caller sees */
async function orgOf(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  partnerId: string,
  subject: Subject,
): Promise<string> {
  const { deviceId, groupId } = subject
  if ((deviceId === null) === (groupId === null)) throw invalid('deviceId: name either a device or a group')
  const found =
    deviceId !== null
      ? await db
          .selectFrom('devices')
          .select('devices.orgId')
          .where('devices.id', '=', deviceId)
          .where('devices.partnerId', '=', partnerId)
          .where(visibleDevices(caller))
          .executeTakeFirst()
      : await visibleGroups(db, caller)
          .select('orgId')
          .where('id', '=', groupId ?? '')
          .where('partnerId', '=', partnerId)
          .executeTakeFirst()
  if (found !== undefined) return found.orgId
  throw invalid(deviceId === null ? `groupId: ${groupId} does not exist` : `deviceId: ${deviceId} does not exist`)
}

export default implement(contract, {
  async list(call) {
    const { caller, db, input } = call
    requireWholeOrganization(caller)
    const { id } = await storedPolicyById(call, input.id)
    const found = db
      .selectFrom('devicePolicyExceptions')
      .select(columns)
      .where('policyId', '=', id)
      .where(within(caller, 'orgId', 'partnerId'))
      .orderBy('createdAt', 'desc')
      .orderBy('id')
    return paged(found, input)
  },

  async create(call) {
    const { caller, db, input, audit, services } = call
    const policy = await changeablePolicy(call, input.id)
    const { deviceId, groupId, ruleKey, reason, expiresAt } = input
    const orgId = await orgOf(call, policy.partnerId, { deviceId, groupId })
    if (policy.orgId !== null && policy.orgId !== orgId)
      throw invalid(`${deviceId === null ? 'groupId' : 'deviceId'}: belongs to another organization than the policy`)
    await requireWorkingOrganization(db, caller, orgId)
    if (ruleKey !== null && !Rules.parse(policy.rules).some(({ key }) => key === ruleKey))
      throw invalid(`ruleKey: the policy has no rule ${ruleKey}`)
    if (expiresAt !== null && Date.parse(expiresAt) <= services.clock.now())
      throw invalid('expiresAt: must be in the future')
    const made = await db
      .insertInto('devicePolicyExceptions')
      .values({
        ...{ policyId: policy.id, partnerId: policy.partnerId, orgId, createdBy: caller.userId },
        ...{ deviceId, groupId, ruleKey, reason, expiresAt },
      })
      .returning(columns)
      .executeTakeFirstOrThrow()
    audit({ target: made.id, name: policy.name, orgId, partnerId: policy.partnerId, after: made })
    return made
  },

  async remove(call) {
    const { caller, db, input, audit } = call
    const policy = await changeablePolicy(call, input.id)
    const before = await db
      .deleteFrom('devicePolicyExceptions')
      .where('id', '=', input.exceptionId)
      .where('policyId', '=', policy.id)
      .where(within(caller, 'orgId', 'partnerId'))
      .returning(columns)
      .executeTakeFirst()
    if (before === undefined) throw notFound('Exception')
    const { id: target, orgId, partnerId } = before
    audit({ target, name: policy.name, orgId, partnerId, before })
    return { success: true as const }
  },
})
