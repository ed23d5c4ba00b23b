// The current validity of an enrollment key or install code. They are read across tenants, because they are the only
// credential that a machine has.
import type { Db } from '@muster/db/database.ts'
import { denied, unauthenticated } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { claimDevices } from '../../tenancy/tenancy/index.ts'
import { addDevice, completeDevice, type Machine, type Registered } from '../devices/index.ts'

export interface Grant {
  readonly id: string
  readonly keyHash: string
  readonly orgId: string
  readonly partnerId: string
  readonly siteId: string | null
  /** The provisioned device of a single-use key. */
  readonly deviceId: string | null
  /** The install code that was used instead of the key. */
  readonly codeId: string | null
}

/** The credential of a machine, as a hash, because only hashes are stored. */
export type Credential = { readonly keyHash: string } | { readonly codeHash: string }

const usedUp = () => denied('This enrollment key has been used up')

/**
 * The key, regardless of its remaining uses.
 * @throws UNAUTHENTICATED when it does not exist; FORBIDDEN when it has expired or its tenant is inactive
 */
export async function grantOf(db: Db, credential: Credential, nowMs: number): Promise<Grant> {
  const code = 'codeHash' in credential ? await codeWith(db, credential.codeHash, nowMs) : null
  const found = await db
    .selectFrom('enrollmentKeys as key')
    .innerJoin('organizations as org', 'org.id', 'key.orgId')
    .innerJoin('partners as partner', 'partner.id', 'key.partnerId')
    .$if('keyHash' in credential, (query) =>
      query.where('key.keyHash', '=', 'keyHash' in credential ? credential.keyHash : ''),
    )
    .$if(code !== null, (query) => query.where('key.id', '=', code?.keyId ?? ''))
    .where('org.deletedAt', 'is', null)
    .where('partner.deletedAt', 'is', null)
    .select(['key.id', 'key.keyHash', 'key.orgId', 'key.partnerId', 'key.siteId', 'key.deviceId', 'key.expiresAt'])
    .select(['org.status as orgStatus', 'partner.status as partnerStatus'])
    .executeTakeFirst()
  if (found === undefined) throw unauthenticated('Invalid enrollment key')
  const { expiresAt, orgStatus, partnerStatus, ...grant } = found
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) throw denied('This enrollment key has expired')
  if (partnerStatus !== 'active') throw denied('Partner account is not active')
  if (orgStatus === 'suspended' || orgStatus === 'churned') throw denied(`Organization is ${orgStatus}`)
  return { ...grant, codeId: code?.id ?? null }
}

async function codeWith(db: Db, codeHash: string, nowMs: number) {
  const code = await db
    .selectFrom('enrollmentCodes')
    .select(['id', 'keyId', 'expiresAt'])
    .where('codeHash', '=', codeHash)
    .executeTakeFirst()
  if (code === undefined) throw unauthenticated('Invalid install code')
  if (Date.parse(code.expiresAt) <= nowMs) throw denied('This install code has expired')
  return code
}

/** Enrolls a new machine: checks the limits of the tenant and counts one use of the key. */
export async function admitMachine(db: Db, grant: Grant, machine: Machine, nowMs: number): Promise<Registered> {
  const enrollment = { keyId: grant.id, at: new Date(nowMs).toISOString() }
  if (grant.deviceId !== null) {
    await useOnce(db, grant)
    const completed = await completeDevice(db, grant.deviceId, machine, enrollment)
    if (completed === undefined) throw usedUp()
    return completed
  }
  const { orgId, partnerId, siteId } = grant
  await claimDevices(db, { orgId, partnerId })
  await useOnce(db, grant)
  return addDevice(db, { orgId, partnerId, siteId }, machine, enrollment)
}

/** Counts one use atomically. Of simultaneous requests, exactly as many succeed as there are uses left. */
async function useOnce(db: Db, { id, keyHash, codeId }: Grant): Promise<void> {
  const used = await db
    .updateTable('enrollmentKeys')
    .set({ usageCount: sql`usage_count + 1` })
    .where('id', '=', id)
    .where('keyHash', '=', keyHash)
    .where((eb) => eb.or([eb('maxUsage', 'is', null), eb('usageCount', '<', eb.ref('maxUsage'))]))
    .returning('id')
    .executeTakeFirst()
  if (used === undefined) throw usedUp()
  if (codeId === null) return
  const usedCode = await db
    .updateTable('enrollmentCodes')
    .set({ usageCount: sql`usage_count + 1` })
    .where('id', '=', codeId)
    .where((eb) => eb.or([eb('maxUsage', 'is', null), eb('usageCount', '<', eb.ref('maxUsage'))]))
    .returning('id')
    .executeTakeFirst()
  if (usedCode === undefined) throw denied('This install code has been used up')
}
