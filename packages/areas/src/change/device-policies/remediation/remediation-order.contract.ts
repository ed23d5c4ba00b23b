// What repairs a violation: an order, as a deployment could give it.
import { z } from 'zod'
import { CommandOrder } from '../../deployments/kinds/command-order.contract.ts'
import { ScriptOrder } from '../../scripts/script-order.contract.ts'

export const RemediationOrder = z.discriminatedUnion('kind', [ScriptOrder, CommandOrder], {
  error: 'must be a remediation of a known kind',
})
export type RemediationOrder = z.infer<typeof RemediationOrder>
