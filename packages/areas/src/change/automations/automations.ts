import { randomUUID } from 'node:crypto'
import { paged } from '@muster/db/page.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { ApprovalSummary } from '../../control/commands/approvals/approval-summary.contract.ts'
import { dropGrants, judgePlan, ownerOf, withdrawPlan } from '../../control/commands/index.ts'
import { PlanContent } from '../../control/commands/plans/plan.contract.ts'
import { type Call, implement } from '../../operation.ts'
import { dropLane, newSigningSecret, setLane } from '../../platform/deliveries/index.ts'
import { requireWholeOwner, requireWorkingTenant, tenantOf } from '../../tenancy/tenancy/index.ts'
import { setChannelUses } from '../../watch/channels/index.ts'
import { Automation, automations as contract } from './automations.contract.ts'
import {
  changeableAutomation,
  columns,
  scripts,
  shown,
  storedAutomation,
  visibleAutomations,
} from './automations.queries.ts'
import { hideHeaders, sealHeaders } from './runs/actions/headers.ts'
import { laneOf } from './runs/actions/webhook.action.ts'
import { channelsOf, requirePermissions, requireSoundWork } from './soundness.ts'
import { nextTime } from './triggers/next-time.rules.ts'
import { previousSecretMs, sealTriggerSecret } from './triggers/trigger-secret.ts'
import { allowWorks, areStored, type StepWork, storeWorks, worksOf } from './works.ts'

const requestsAtOnce = 4

const plainChanges = (given: object) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

type Doing = Pick<Automation, 'trigger' | 'conditions' | 'actions' | 'enabled'>
type Judged = Doing & Pick<Automation, 'id' | 'name' | 'partnerId' | 'orgId' | 'maxDevicesPerRun'>

/** Asks a second person where the automation reaches far. @returns null if it may start at once */
async function judged(
  call: Call,
  automation: Judged,
  works: readonly StepWork[],
  revision: number,
): Promise<ApprovalSummary | null> {
  const { id, name, partnerId, orgId, maxDevicesPerRun, actions, trigger, conditions } = automation
  const commands = actions.flatMap((action) => (action.type === 'command' ? [action.command] : []))
  const types = [...new Set([...commands, ...works.map(({ work }) => work.type)])]
  if (!automation.enabled) await withdrawPlan(call, { kind: 'automation', id }, 'The automation was disabled')
  if (!automation.enabled) return null
  const verdict = await judgePlan(call, {
    subject: { kind: 'automation', id, name, revision },
    reach: { devices: maxDevicesPerRun, partnerId, orgIds: orgId === null ? null : [orgId] },
    content: PlanContent.parse({ trigger, conditions, actions: hideHeaders(actions), works, maxDevicesPerRun }),
    types,
  })
  return verdict.state === 'granted' ? null : verdict.approval
}

/** What is stored besides the fields that people give. */
function derived(
  call: Pick<Call, 'caller' | 'services'>,
  { trigger, conditions, actions, enabled }: Doing,
  approval: ApprovalSummary | null,
) {
  const { userId, place } = ownerOf(call.caller)
  const nextMs =
    enabled && approval === null && trigger.type === 'schedule'
      ? nextTime(trigger.cron, trigger.timezone, call.services.clock.now())
      : null
  return {
    ...{ trigger: JSON.stringify(trigger), actions: JSON.stringify(actions) },
    conditions: conditions === null ? null : JSON.stringify(conditions),
    ...{ triggerType: trigger.type, eventType: trigger.type === 'event' ? trigger.event : null },
    nextRunAt: nextMs === null ? null : new Date(nextMs).toISOString(),
    status: statusOf(enabled, approval),
    statusReason: null,
    ...{ ownerId: userId, ownedAs: JSON.stringify(place) },
  }
}

const statusOf = (enabled: boolean, approval: ApprovalSummary | null): Automation['status'] =>
  approval !== null ? 'awaiting_approval' : enabled ? 'enabled' : 'disabled'

const usesOf = ({ id, partnerId, orgId }: Automation) => ({ usedBy: `automation:${id}`, partnerId, orgId })

/** What belongs to the automation besides its row. */
async function storeParts({ db }: Pick<Call, 'db'>, automation: Automation): Promise<void> {
  const { id, partnerId, orgId, actions } = automation
  await setChannelUses(db, usesOf(automation), channelsOf(actions))
  if (actions.some(({ type }) => type === 'webhook'))
    await setLane(db, { lane: laneOf(id), kind: 'automation', partnerId, orgId, concurrency: requestsAtOnce })
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, orgId, status, trigger, search } }) {
    const found = db
      .selectFrom('automations')
      .where(visibleAutomations(caller))
      .$if(orgId !== undefined, (query) => query.where('orgId', '=', orgId ?? ''))
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'enabled'))
      .$if(trigger !== undefined, (query) => query.where('triggerType', '=', trigger ?? 'manual'))
      .$if(search !== undefined, (query) =>
        query.where(sql<boolean>`strpos(lower(name || ' ' || coalesce(description, '')), lower(${search}::text)) > 0`),
      )
    const { data, pagination } = await paged(
      found.select(columns).select(scripts.as('scripts')).orderBy('name').orderBy('id'),
      { page, limit },
    )
    return { data: data.map((row) => shown(Automation.parse(row))), pagination }
  },

  async create(call) {
    const { caller, db, input, services, audit } = call
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'automation')
    await requireWorkingTenant(db, caller, tenant)
    const { partnerId, orgId } = tenant
    if (input.enabled) requirePermissions(call, input.actions)
    await requireSoundWork(call, { ...input, partnerId, orgId })
    const id = randomUUID()
    const actions = sealHeaders(services.keyring, id, input.actions, [])
    const works = await worksOf(call, { ...input, partnerId, orgId })
    const approval = await judged(call, { ...input, id, partnerId, orgId, actions }, works, 1)
    const secret = input.trigger.type === 'webhook' ? newSigningSecret() : undefined
    const { name, description, enabled, onFailure, overlap, maxDevicesPerRun, maxRunsPerHour, cooldownSeconds } = input
    await db
      .insertInto('automations')
      .values({
        ...{ id, partnerId, orgId, name, description, enabled, onFailure, overlap, maxDevicesPerRun, maxRunsPerHour },
        ...{ cooldownSeconds, respectMaintenance: input.respectMaintenance, createdBy: caller.userId },
        ...derived(call, { ...input, actions }, approval),
        secret: secret === undefined ? null : sealTriggerSecret(services.keyring, id, secret),
      })
      .execute()
    await storeWorks(db, { id, partnerId, orgId }, works)
    const automation = await storedAutomation(db, caller, id)
    await storeParts(call, automation)
    if (automation.status === 'enabled') await allowWorks(call, automation, works)
    const after = shown(automation)
    audit({ target: id, name, orgId, partnerId, after })
    return { ...after, ...(secret === undefined ? {} : { secret }), approval }
  },

  async get({ caller, db, input }) {
    return shown(await storedAutomation(db, caller, input.id))
  },

  async update(call) {
    const { caller, db, services, audit } = call
    const { id, rotateSecret, ...given } = call.input
    const before = await changeableAutomation(call, id)
    const sealed =
      given.actions === undefined ? {} : { actions: sealHeaders(services.keyring, id, given.actions, before.actions) }
    const wanted = Automation.parse({ ...before, ...plainChanges(given), ...sealed })
    if (rotateSecret === true && wanted.trigger.type !== 'webhook')
      throw invalid('rotateSecret: only a webhook trigger has a secret')
    const isOther = changesWork(before, wanted) || (given.enabled === true && before.status !== 'enabled')
    const isRemade = given.actions !== undefined || given.enabled === true || (isOther && wanted.enabled)
    const works = isRemade ? await worksOf(call, wanted) : null
    const isWork = isOther || (works !== null && !(await areStored(db, id, works)))
    if (isWork && wanted.enabled) requirePermissions(call, wanted.actions)
    if (isWork) await requireSoundWork(call, { ...wanted, actions: given.actions ?? [] })
    const approval = isWork ? await judged(call, wanted, works ?? [], (await revisionOf(call, id)) + 1) : null
    const secret = rotateSecret === true || isNewWebhook(before, wanted) ? newSigningSecret() : undefined
    const { name, description, enabled, onFailure, overlap, maxDevicesPerRun, maxRunsPerHour } = wanted
    await db
      .updateTable('automations')
      .set({ name, description, enabled, onFailure, overlap, maxDevicesPerRun, maxRunsPerHour })
      .set({ cooldownSeconds: wanted.cooldownSeconds, respectMaintenance: wanted.respectMaintenance })
      .$if(isWork, (query) =>
        query.set({ ...derived(call, wanted, approval), revision: sql`revision + 1`, countedFrom: sql`now()` }),
      )
      .$if(secret !== undefined, (query) =>
        query.set({
          secret: sealTriggerSecret(services.keyring, id, secret ?? ''),
          previousSecret: sql`CASE WHEN trigger_type = 'webhook' THEN secret END`,
          previousUntil: new Date(services.clock.now() + previousSecretMs).toISOString(),
        }),
      )
      .$if(wanted.trigger.type !== 'webhook', (query) => query.set({ secret: null, previousSecret: null }))
      .where('id', '=', id)
      .execute()
    if (isWork && works !== null) await storeWorks(db, before, works)
    const stored = await storedAutomation(db, caller, id)
    if (isWork) await storeParts(call, stored)
    if (isWork) await allowWorks(call, stored, stored.status === 'enabled' ? (works ?? []) : [])
    // The workers end what is open.
    if (!stored.enabled && before.enabled)
      await db
        .updateTable('automationRuns')
        .set({ dueAt: sql<string>`now()` })
        .where('automationId', '=', id)
        .where('status', 'in', ['queued', 'running'])
        .execute()
    const after = shown(stored)
    const details = secret === undefined ? {} : { newSecret: true }
    audit({ target: id, name, orgId: after.orgId, partnerId: after.partnerId, before: shown(before), after, details })
    return { ...after, ...(secret === undefined ? {} : { secret }), approval }
  },

  async remove(call) {
    const { db, input, audit } = call
    const before = await changeableAutomation(call, input.id)
    await withdrawPlan(call, { kind: 'automation', id: before.id }, 'The automation was deleted')
    await setChannelUses(db, usesOf(before), [])
    await dropLane(db, laneOf(before.id))
    await dropGrants(db, { kind: 'automation', id: before.id })
    const { numDeletedRows } = await db.deleteFrom('automations').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Automation')
    const { id, name, orgId, partnerId } = before
    audit({ target: id, name, orgId, partnerId, before: shown(before) })
    return { success: true as const }
  },
})

async function revisionOf({ db }: Pick<Call, 'db'>, id: string): Promise<number> {
  const found = await db.selectFrom('automations').select('revision').where('id', '=', id).executeTakeFirst()
  if (found === undefined) throw notFound('Automation')
  return found.revision
}

/** Whether a change concerns more than how the automation is called. */
function changesWork(before: Automation, wanted: Automation): boolean {
  const workOf = ({ name: _name, description: _description, ...work }: Automation) => JSON.stringify(work)
  return workOf(before) !== workOf(wanted)
}

const isNewWebhook = (before: Automation, wanted: Automation): boolean =>
  wanted.trigger.type === 'webhook' && before.trigger.type !== 'webhook'
