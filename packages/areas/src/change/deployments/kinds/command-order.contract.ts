import { jsonObject } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { QueuedCommand } from '../../../control/commands/commands.contract.ts'

/** A command, as the order of a deployment. */
export const CommandOrder = z.strictObject({
  kind: z.literal('command'),
  type: QueuedCommand,
  payload: jsonObject(600 * 1024).default({}),
})
