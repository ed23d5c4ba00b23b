import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { badRequest, denied, notFound } from '@muster/kit/errors.ts'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import { requireUnlimited } from '../reach.ts'
import { mergeSettings } from './merge-settings.ts'
import { partners as contract, type Partner } from './partners.contract.ts'

export default implement(contract, {
  async list({ input: { page, limit }, db }) {
    const live = db.selectFrom('partners').where('deletedAt', 'is', null)
    return paged(live.selectAll().orderBy('name').orderBy('id'), { page, limit })
  },

  async create({ input, db, audit }) {
    const { settings = {}, ...fields } = input
    const partner = await db
      .insertInto('partners')
      .values({ status: 'active', ...fields, settings: checked(mergeSettings({}, settings)) })
      .returningAll()
      .executeTakeFirstOrThrow()
    audit({ target: partner.id, name: partner.name, partnerId: partner.id, after: partner })
    return partner
  },

  async get({ input, db }) {
    return partnerById(db, input.id)
  },

  async update(call) {
    const { input, db, audit, afterCommit, services } = call
    const { id, ...changes } = input
    const before = await partnerById(db, id, 'to change')
    if (changes.status !== undefined && changes.status !== before.status) await call.stepUp()
    const after = await changed(db, before, changes)
    audit({ target: id, name: after.name, partnerId: id, before, after })
    afterCommit(() => callersOf(services).clear())
    return after
  },

  async remove({ input, db, audit, afterCommit, services }) {
    const before = await partnerById(db, input.id, 'to change')
    const deletedAt = new Date(services.clock.now()).toISOString()
    await db.updateTable('partners').set({ deletedAt }).where('id', '=', input.id).execute()
    await db
      .updateTable('organizations')
      .set({ deletedAt })
      .where('partnerId', '=', input.id)
      .where('deletedAt', 'is', null)
      .execute()
    audit({ target: input.id, name: before.name, partnerId: input.id, before })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async me({ caller, db }) {
    return partnerById(db, caller.partnerId ?? '')
  },

  async updateMe({ caller, input, db, audit }) {
    requireUnlimited(caller)
    const before = await partnerById(db, caller.partnerId ?? '', 'to change')
    const after = await changed(db, before, input)
    audit({ target: after.id, name: after.name, before, after })
    return after
  },
})

type Changes = Partial<Omit<Call<Partner>['input'], 'id' | 'createdAt' | 'updatedAt' | 'deletedAt'>>

async function changed(db: Db, before: Partner, { settings, ...fields }: Changes): Promise<Partner> {
  // The order of organizations has an operation of its own, which validates it.
  const { organizationOrder: _, secondPersonEnds: __, ...sent } = settings ?? {}
  const merged = settings === undefined ? {} : { settings: checked(mergeSettings(before.settings, sent)) }
  // A stolen session must not turn off the requirement of a second person.
  if (before.settings.secondPerson === true && merged.settings !== undefined && merged.settings.secondPerson !== true) {
    throw denied('secondPerson: can only be turned off with PUT /commands/second-person')
  }
  return db
    .updateTable('partners')
    .set({ ...fields, ...merged })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Custom business hours require days. Checked after merging, because preset and days may be sent separately. */
function checked(settings: Partner['settings']): Partner['settings'] {
  const hours = settings.businessHours
  const isCustom = typeof hours === 'object' && hours !== null && !Array.isArray(hours) && hours.preset === 'custom'
  if (isCustom && hours.custom === undefined) {
    throw badRequest('businessHours.custom: is required when businessHours.preset is custom')
  }
  return settings
}

async function partnerById(db: Db, id: string, why: 'to read' | 'to change' = 'to read'): Promise<Partner> {
  const partner = await db
    .selectFrom('partners')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .$if(why === 'to change', (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (partner === undefined) throw notFound('Partner')
  return partner
}
