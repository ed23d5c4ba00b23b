import { can, id, post } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { CommandSummary, farReach } from '../commands.contract.ts'

export const autoUpdate = {
  set: post('/devices/:id/auto-update', {
    summary: 'Enable or disable updates of the agent on a device. The agent keeps the setting across restarts',
    access: can('devices:write'),
    audit: 'device.auto_update',
    stepUp: farReach,
    input: z.object({ id: id(), enabled: z.boolean() }),
    output: z.object({
      deviceId: id(),
      autoUpdate: z.boolean(),
      /** Tells the agent; null where there is none yet or no more. */
      command: CommandSummary.nullable(),
    }),
  }),
}
