import { z } from 'zod'

/** Where a policy is assigned, from near to far. */
export const Level = z.enum(['device', 'group', 'site', 'organization', 'partner'])
export type Level = z.infer<typeof Level>
