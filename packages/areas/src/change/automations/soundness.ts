// What the parts of an automation refer to, and what its owner needs: checked before anything is stored.
import type { Db } from '@muster/db/database.ts'
import { hasPermission } from '@muster/kit/access.ts'
import { denied, invalid } from '@muster/kit/errors.ts'
import { requireAllowedAddress } from '@muster/kit/network/outgoing.ts'
import { sql } from 'kysely'
import { orderFor } from '../../control/commands/index.ts'
import { conditionOf } from '../../fleet/devices/index.ts'
import type { Call } from '../../operation.ts'
import type { Automation } from './automations.contract.ts'
import type { Action } from './runs/actions/actions.contract.ts'
import { permissionsFor } from './runs/actions/index.ts'
import { faultOfTexts } from './runs/actions/templates.ts'
import { faultOfCron } from './triggers/next-time.rules.ts'
import { inAction } from './works.ts'

export type Work = Pick<Automation, 'partnerId' | 'orgId' | 'trigger' | 'conditions' | 'actions'>

/** @throws VALIDATION_ERROR naming the field that is wrong */
export async function requireSoundWork(call: Call, work: Work): Promise<void> {
  const { db, services } = call
  const { trigger, conditions, actions } = work
  if (trigger.type === 'schedule') {
    const fault = faultOfCron(trigger.cron, trigger.timezone, services.clock.now())
    if (fault !== null) throw invalid(`trigger.cron: ${fault}`)
  }
  if (conditions !== null) await conditionOf(db, conditions, work)
  for (const [index, action] of actions.entries()) {
    const fault = faultOfTexts(action)
    if (fault !== null) throw invalid(`actions.${index}.${fault}`)
    if (action.type === 'command') {
      const order = { ...action, type: action.command, respectMaintenance: true }
      await inAction(index, action, () => orderFor(call, order))
    }
    if (action.type === 'webhook' && !isTemplate(action.url))
      await inAction(index, action, () => requireAllowedAddress(action.url, services.settings.outgoing.allowedNetworks))
  }
  await requireFields(db, work)
}

const isTemplate = (text: string): boolean => /\{[{%]/.test(text)

async function requireFields(db: Db, { partnerId, orgId, actions }: Work): Promise<void> {
  const keys = actions.flatMap((action) => (action.type === 'set_field' ? [action.key] : []))
  if (keys.length === 0) return
  const { rows } = await sql<{
    key: string
  }>`SELECT DISTINCT key FROM custom_fields WHERE partner_id = ${partnerId}::uuid
    AND (${orgId}::uuid IS NULL OR org_id IS NULL OR org_id = ${orgId}::uuid) AND key = ANY (${keys}::text[])`.execute(
    db,
  )
  const found = new Set(rows.map(({ key }) => key))
  const index = actions.findIndex((action) => action.type === 'set_field' && !found.has(action.key))
  if (index >= 0) throw invalid(`actions.${index}.key: there is no such custom field`)
}

/** The channels that actions name. */
export const channelsOf = (actions: readonly Action[]): string[] => [
  ...new Set(actions.flatMap((action) => (action.type === 'notify' ? (action.channelIds ?? []) : []))),
]

/** @throws FORBIDDEN without a permission that the actions need */
export function requirePermissions({ caller }: Pick<Call, 'caller'>, actions: readonly Action[]): void {
  const missing = permissionsFor(actions).find((permission) => !hasPermission(caller, permission))
  if (missing !== undefined) throw denied(`Permission denied: ${missing} is required to enable these actions`)
}
