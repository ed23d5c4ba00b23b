import { z } from 'zod'
import { line, path } from './fields.ts'

export const scriptBytesMax = 256 * 1024
const encoder = new TextEncoder()
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { error: 'is not the name of a variable' })
/** How a secret is called. */
export const SecretName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, { error: 'must be letters, digits, ".", "_" and "-"' })
/** Secrets that one script takes. */
export const secretsMax = 50
export const secretBytesMax = 8_192

export const ScriptLanguage = z.enum(['bash', 'sh', 'zsh', 'python', 'powershell', 'cmd', 'osascript'])

export const RunScript = z.object({
  language: ScriptLanguage.default('bash'),
  script: line(scriptBytesMax)
    .min(1, { error: 'must not be empty' })
    .refine((text) => encoder.encode(text).length <= scriptBytesMax, {
      error: `must be at most ${scriptBytesMax} bytes long`,
    }),
  args: z.array(line(8_192)).max(64).default([]),
  env: z.record(variable, line(8_192)).default({}),
  workingDirectory: path().optional(),
  /** The account of the agent unless given, or that of a user. */
  runAs: z.enum(['system', 'user']).optional(),
  /** The account for `user`: that of the user who is signed in unless given. */
  runAsUser: line(255)
    .regex(/^[^\p{Cc}:/-][^\p{Cc}:/]*$/u, { error: 'is not the name of an account' })
    .optional(),
  /** Names of secrets by the variables that get their values, which come sealed beside the payload. */
  secrets: z
    .record(variable, SecretName)
    .refine((given) => Object.keys(given).length <= secretsMax, { error: `must be at most ${secretsMax}` })
    .optional(),
})

/** Whether the payload of a command names secrets. */
export const takesSecrets = ({ secrets }: Readonly<Record<string, unknown>>): boolean =>
  typeof secrets === 'object' && secrets !== null && Object.keys(secrets).length > 0

/** Beside exit code and output: the total size of the output. */
export const ScriptResult = z.object({ truncated: z.boolean(), stdoutBytes: z.number(), stderrBytes: z.number() })
