import { can, create, del, get, id, stepUpWhen, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { InstallCommands } from './install-commands.contract.ts'

export const codes = {
  create: create('/enrollment-keys/:id/install-code', {
    summary:
      'Create a short install code that stands for an enrollment key for a limited time. The code is shown only once',
    access: can('devices:write'),
    audit: 'enrollment_code.create',
    stepUp: stepUpWhen('the code has no limit of uses, or is good for more than 1,000 machines'),
    input: z.object({
      id: id(),
      /** At most a day, and at most until the key expires. */
      expiresInSeconds: z.int().min(60).max(86_400).default(3_600),
      /** At most the remaining uses of the key. Each use also counts as a use of the key. */
      maxUsage: z.int().min(1).max(1_000_000).nullable().default(null),
    }),
    output: z.object({
      code: z.string(),
      keyId: id(),
      maxUsage: z.number().nullable(),
      expiresAt: time(),
      /** The command that installs the agent on Linux. It asks for the code on standard input. */
      command: z.string(),
      commands: InstallCommands,
    }),
  }),
  revoke: del('/enrollment-keys/:id/install-code', {
    summary: 'Revoke all install codes of an enrollment key',
    access: can('devices:write'),
    audit: 'enrollment_code.revoke',
    input: z.object({ id: id() }),
    output: z.object({ revoked: z.number() }),
  }),
  command: get('/enrollment-keys/:id/install-command', {
    summary: 'Get the commands that install the agent. They ask for the key on standard input',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: z.object({ command: z.string(), commands: InstallCommands, scriptUrl: z.string() }),
  }),
}
