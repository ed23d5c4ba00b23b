import { anyone, get } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const health = {
  get: get('/health', {
    summary: 'Whether the service answers, and its version',
    access: anyone,
    input: z.object({}),
    output: z.object({ status: z.literal('ok'), version: z.string() }),
  }),
}
