import { z } from 'zod'
import { line, path } from './fields.ts'

export const scriptBytesMax = 256 * 1024
const encoder = new TextEncoder()
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { error: 'is not the name of a variable' })

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
})

/** Beside exit code and output: the total size of the output. */
export const ScriptResult = z.object({ truncated: z.boolean(), stdoutBytes: z.number(), stderrBytes: z.number() })
