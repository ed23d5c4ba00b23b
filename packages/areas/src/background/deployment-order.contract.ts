// Every order that a deployment can give to devices, one line per kind. Each kind is a value; see background/deployment-kind.ts.
import { z } from 'zod'
import { CommandOrder } from '../change/deployments/kinds/command-order.contract.ts'
import { PolicyOrder } from '../change/device-policies/remediation/policy-order.contract.ts'
import { ScriptOrder } from '../change/scripts/script-order.contract.ts'
import { AgentVersionOrder } from '../control/rollouts/offers/agent-version-order.contract.ts'

export const DeploymentOrder = z.discriminatedUnion(
  'kind',
  [ScriptOrder, CommandOrder, AgentVersionOrder, PolicyOrder],
  {
    error: 'must be an order of a known kind',
  },
)
export type DeploymentOrder = z.infer<typeof DeploymentOrder>
