import { anyone, get } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const health = {
  get: get('/health', {
    summary: 'Get the health and version of the service',
    access: anyone,
    input: z.object({}),
    output: z.object({ status: z.literal('ok'), version: z.string() }),
  }),
}
