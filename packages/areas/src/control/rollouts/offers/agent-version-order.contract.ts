import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** A version of the agent, as the order of a deployment: that of the executable, for each system that has one. */
export const AgentVersionOrder = z.strictObject({ kind: z.literal('agent_version'), versionId: id() })
