import { z } from 'zod'
import { frameBytesMax, stderrCharsMax, stdoutCharsMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration, freeMap, id, text } from '../scalars.ts'

export const ResultStatus = z.enum(['completed', 'failed', 'timed_out', 'cancelled', 'expired'])
export type ResultStatus = z.infer<typeof ResultStatus>

export const Result = z.object({
  commandId: id,
  status: ResultStatus,
  exitCode: z.int().min(-2_147_483_648).max(2_147_483_647).optional(),
  stdout: text(stdoutCharsMax).optional(),
  stderr: text(stderrCharsMax).optional(),
  result: freeMap.optional(),
  error: text(2000).optional(),
  durationMs: duration,
})
export type Result = z.infer<typeof Result>

export const result = defineMessage({
  name: 'result',
  type: 36,
  meaning: 'How a command ended; sent until it is acknowledged.',
  sequenced: true,
  bytesMax: frameBytesMax,
  body: Result,
})
