import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** The remediation of a policy, as the order of a deployment. Devices that keep the rule do not get it. */
export const PolicyOrder = z.strictObject({
  kind: z.literal('policy'),
  policyId: id(),
  /** Needed if several rules of the policy have a remediation. */
  ruleKey: z.string().max(100).optional(),
})
export type PolicyOrder = z.infer<typeof PolicyOrder>
