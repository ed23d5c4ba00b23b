import { z } from 'zod'

export const ScriptSeverity = z.enum(['success', 'info', 'warning', 'error', 'critical'])
export type ScriptSeverity = z.infer<typeof ScriptSeverity>

/** The severity of each exit code. `*` stands for those that are not named, except 0. */
export const ExitCodes = z
  .record(z.string().regex(/^(\*|-?\d{1,10})$/, { error: 'must be a number or *' }), ScriptSeverity)
  .refine((given) => Object.keys(given).length <= 256, { error: 'must be at most 256' })
export type ExitCodes = z.infer<typeof ExitCodes>
