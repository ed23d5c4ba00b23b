import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { device, event } from '../../platform/live-events/event.contract.ts'
import { CommandStatus } from './commands.contract.ts'

export const commandChanged = event('command.changed', device, {
  commandId: id(),
  commandType: z.string().optional(),
  status: CommandStatus,
  exitCode: z.number().nullable().optional(),
})

/** A running command has new output. Watchers read it from the database. */
export const commandOutput = event('command.output', device, { commandId: id() })
