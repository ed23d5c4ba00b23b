// Sends one order to many devices: a bulk command, or the run of a kept script.
import { notFound } from '@muster/kit/errors.ts'
import type { z } from 'zod'
import type { Call } from '../../../operation.ts'
import type { Settings } from '../../../services.ts'
import { askForApproval } from '../approvals/approval-requests.ts'
import type { Command, commands } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import { deliverAfter } from '../delivery/deliver-command.ts'
import { issueToAll, refusalOf } from '../orders/issue-command.ts'
import { knownCommands } from '../orders/known-commands.ts'
import type { CommandOrder } from '../orders/validate-order.ts'
import { requireDelivery } from '../stops/stops.ts'
import { judgeReach } from './blast-radius.ts'
import { auditBulk } from './bulk-audit.ts'
import type { Selection } from './targets.ts'

export type SentToMany = z.infer<typeof commands.bulk.output>

/**
 * Sends the order to the devices that can run it, or asks for a second person. A repeated request is answered with the commands
 * of the first.
 */
export async function sendToMany(
  call: Call,
  order: CommandOrder & { readonly batchId: string },
  { targets, unseen }: Selection,
): Promise<SentToMany> {
  const { code, message } = notFound('Device')
  const failed = unseen.map((deviceId) => ({ deviceId, code, message }))
  const known = await knownCommands(call, order)
  if (known.length > 0) return { ...again(known, targets, order, call.services.settings), failed, approval: null }
  await requireDelivery(
    call.db,
    targets.map(({ partnerId }) => partnerId),
  )
  if ((await judgeReach(call, order.type, targets)) === 'second person') {
    const approval = await askForApproval(call, order, targets)
    const { id: target, orgId, partnerId, devices, hash, subject } = approval
    const details = { type: order.type, devices, hash, ...(subject === null ? {} : { subject }) }
    call.audit({ action: 'device.command.request', target, orgId, partnerId, details })
    return { batchId: null, commands: [], skipped: [], failed, approval }
  }
  const issued = await issueToAll(call, targets, order)
  auditBulk(call, issued.commands, targets, auditedPart(order))
  deliverAfter(call, issued, targets)
  return {
    batchId: issued.commands.length === 0 ? null : order.batchId,
    commands: [...issued.commands],
    skipped: [...issued.skipped],
    failed,
    approval: null,
  }
}

/** What the audit log says of an order. A kept script is named, not repeated. */
function auditedPart(order: CommandOrder & { readonly batchId: string }) {
  const { type, batchId, subject, respectMaintenance } = order
  return subject === undefined ? order : { type, batchId, subject, respectMaintenance }
}

/** The answer to a repeated request: its commands as they are now, and why other devices were skipped. */
function again(known: readonly Command[], targets: readonly Target[], order: CommandOrder, settings: Settings) {
  const issued = new Set(known.map(({ deviceId }) => deviceId))
  const skipped = targets
    .filter(({ id }) => !issued.has(id))
    .map((target) => ({
      deviceId: target.id,
      reason: refusalOf(target, order, settings) ?? ('already_pending' as const),
    }))
  return { batchId: known[0]?.batchId ?? null, commands: [...known], skipped }
}
