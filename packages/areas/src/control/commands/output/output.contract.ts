import { can, id, live as stream } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { CommandStatus } from '../commands.contract.ts'

const bytes = z.coerce.number().int().min(0).max(1_048_576).default(0)

/** The status of the command: at first, and when it changes. */
const OutputStatus = z.object({ type: z.literal('status'), status: CommandStatus })
/** A piece of the output, and its offset in bytes. */
const OutputPiece = z.object({
  type: z.literal('output'),
  stream: z.enum(['stdout', 'stderr']),
  offset: z.number(),
  output: z.string(),
})
const OutputEnd = z.object({
  type: z.literal('ended'),
  status: CommandStatus,
  exitCode: z.number().nullable(),
  error: z.string().nullable(),
})
export const OutputEvent = z.discriminatedUnion('type', [OutputStatus, OutputPiece, OutputEnd])
export type OutputEvent = z.infer<typeof OutputEvent>

export const output = {
  follow: stream('/devices/:id/commands/:commandId/output', {
    summary:
      'Stream the output of a command from the given offsets until it ends. To resume, reconnect with the offsets ' +
      'that you have reached',
    access: can('devices:read'),
    input: z.object({ id: id(), commandId: id(), stdout: bytes, stderr: bytes }),
    output: OutputEvent,
  }),
}
