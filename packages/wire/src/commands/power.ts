import { z } from 'zod'
import { line } from './fields.ts'

/** Restarts or shuts down the machine. The delay lets the result reach the server first. */
export const Power = z.object({
  delaySeconds: z.int().min(3).max(3_600).default(10),
  /** Shown to the users who are signed in at the machine. */
  message: line(200).optional(),
  /** Reports what would be done, and does nothing. */
  dryRun: z.boolean().default(false),
})
export const PowerResult = z.object({
  action: z.enum(['reboot', 'shutdown']),
  delaySeconds: z.number(),
  dryRun: z.boolean(),
  command: z.string(),
})
