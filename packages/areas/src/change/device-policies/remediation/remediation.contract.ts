import { auditedWhen, can, create, csv, flag, id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ApprovalSummary } from '../../../control/commands/approvals/approval-summary.contract.ts'
import { farReach } from '../../../control/commands/commands.contract.ts'

/** How the repair of a device stands. Of several rules it is the one that stands worst. */
export const Remediation = z.object({
  state: z.enum(['pending', 'running', 'held', 'remediation_failed']),
  attempts: z.number(),
  /** When it is tried again; null if it is not. */
  nextAt: z.string().nullable(),
})

export const remediation = {
  remediate: create('/policies/:id/remediate', {
    summary: 'Run the remediations of an active policy on devices that do not keep it, and release it if it is held',
    access: can('settings:write'),
    audit: auditedWhen(
      'a deployment starts, or a second person is asked',
      'policy.remediate',
      'device.command.request',
    ),
    stepUp: farReach,
    input: z.object({
      id: id(),
      /** All devices that do not keep it, unless given. */
      deviceIds: csv(id(), 10_000).optional(),
      /** Only says which devices would be repaired. */
      dryRun: flag().default(false),
    }),
    output: z.object({
      /** The first of the deployments; null if there is none. Each rule with a remediation has its own. */
      deploymentId: id().nullable(),
      deploymentIds: z.array(id()),
      /** How many devices get a remediation. */
      devices: z.number(),
      skipped: z.array(z.object({ deviceId: id(), reason: z.enum(['compliant', 'no_remediation']) })),
      /** Set if it waits until a second person approves it under `/commands/approvals`. */
      approval: ApprovalSummary.nullable(),
    }),
  }),
}
