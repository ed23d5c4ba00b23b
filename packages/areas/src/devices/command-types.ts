import type { Permission } from '@muster/kit/permissions.ts'
import { z } from 'zod'
import type { CommandName } from './commands.contract.ts'

/** What sending a command of some type takes. */
export interface CommandType {
  readonly payload: z.ZodType<Record<string, unknown>>
  /** Needed by whoever sends it. */
  readonly permission: Permission
  readonly timeoutMs: number
  readonly expiresInSeconds: number
  /** `look` reads, `change` can be undone, `full` can do anything that the agent can. */
  readonly risk: 'look' | 'change' | 'full'
}

const dayOfSeconds = 86_400
/** What agents take. */
const scriptBytesMax = 256 * 1024
const line = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), { error: 'must not contain NUL' })
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { error: 'is not the name of a variable' })

/** Every command that can be sent. An agent refuses what it does not know, so types can be added here first. */
export const commandTypes: Readonly<Record<CommandName, CommandType>> = {
  refresh_inventory: {
    payload: z.object({}),
    permission: 'devices:execute',
    timeoutMs: 120_000,
    expiresInSeconds: dayOfSeconds,
    risk: 'look',
  },
  run_script: {
    payload: z.object({
      language: z.enum(['bash', 'sh', 'python']).default('bash'),
      script: line(scriptBytesMax)
        .min(1)
        .refine((text) => Buffer.byteLength(text) <= scriptBytesMax, {
          error: `must be at most ${scriptBytesMax} bytes long`,
        }),
      args: z.array(line(8_192)).max(64).default([]),
      env: z.record(variable, line(8_192)).default({}),
      workingDirectory: line(4_096).startsWith('/').optional(),
    }),
    permission: 'scripts:execute',
    timeoutMs: 300_000,
    expiresInSeconds: dayOfSeconds,
    risk: 'full',
  },
  set_auto_update: {
    payload: z.object({ enabled: z.boolean() }),
    permission: 'devices:write',
    timeoutMs: 60_000,
    expiresInSeconds: 30 * dayOfSeconds,
    risk: 'change',
  },
}
