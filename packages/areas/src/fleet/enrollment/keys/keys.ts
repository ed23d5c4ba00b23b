import { emptyPage, paged } from '@muster/db/page.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import { implement } from '../../../operation.ts'
import type { Settings } from '../../../services.ts'
import { reachesNothing } from '../../../tenancy/tenancy/index.ts'
import { installCommand, installCommands } from '../codes/install-command.ts'
import { isUnlimited } from '../key-limits.ts'
import { newKeySecret } from './key-secret.ts'
import { tenantForKey } from './key-tenant.ts'
import { keys as contract } from './keys.contract.ts'
import { keyById, keyColumns, visibleKeys, workingKeyById } from './keys.queries.ts'

const usualLifeMs = 7 * 86_400_000

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId, siteId }, db }) {
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const chosen = visibleKeys(db, caller)
      .$if(orgId !== undefined, (query) => query.where('enrollmentKeys.orgId', '=', orgId ?? ''))
      .$if(siteId !== undefined, (query) => query.where('enrollmentKeys.siteId', '=', siteId ?? ''))
    return paged(chosen.select(keyColumns).orderBy('enrollmentKeys.createdAt', 'desc').orderBy('enrollmentKeys.id'), {
      page,
      limit,
    })
  },

  async get({ caller, input, db }) {
    return keyById(db, caller, input.id)
  },

  async create(call) {
    const { caller, input, db, services, audit } = call
    const usualEnd = new Date(services.clock.now() + usualLifeMs).toISOString()
    const { orgId, maxUsage, expiresAt = usualEnd } = input
    const partnerId = await tenantForKey(db, caller, input)
    if (isUnlimited({ maxUsage, expiresAt }, call.services.clock.now())) await call.stepUp()
    if (expiresAt !== null && Date.parse(expiresAt) <= services.clock.now()) {
      throw invalid('expiresAt: must be in the future')
    }
    const { key, ...stored } = newKeySecret(services.keyring)
    const made = await db
      .insertInto('enrollmentKeys')
      .values({ ...input, ...stored, expiresAt, partnerId, createdBy: caller.userId })
      .returning(keyColumns)
      .executeTakeFirstOrThrow()
    audit({ target: made.id, name: made.name, orgId, partnerId, after: made })
    return { ...made, ...revealed(key, services.settings) }
  },

  async rotate(call) {
    const { caller, input, db, services, audit } = call
    const before = await workingKeyById(db, caller, input.id)
    if (isUnlimited(before, call.services.clock.now())) await call.stepUp()
    const { key, ...stored } = newKeySecret(services.keyring)
    const after = await db
      .updateTable('enrollmentKeys')
      .set(stored)
      .where('id', '=', input.id)
      .returning(keyColumns)
      .executeTakeFirst()
    if (after === undefined) throw notFound('Enrollment key')
    // A key is rotated because it may have leaked, and so may its install codes.
    await db.deleteFrom('enrollmentCodes').where('keyId', '=', after.id).execute()
    const { orgId, partnerId } = after
    audit({ target: after.id, name: after.name, orgId, partnerId, before, after })
    return { ...after, ...revealed(key, services.settings) }
  },

  async remove({ caller, input, db, audit }) {
    const before = await workingKeyById(db, caller, input.id)
    const { numDeletedRows } = await db.deleteFrom('enrollmentKeys').where('id', '=', input.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Enrollment key')
    audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },
})

const revealed = (key: string, { publicUrl }: Pick<Settings, 'publicUrl'>) => ({
  key,
  installCommand: installCommand(publicUrl),
  installCommands: installCommands(publicUrl),
})
