import { z } from 'zod'

/** Of alerts and of events about them, from worst to mildest. */
export const Severity = z.enum(['critical', 'high', 'medium', 'low', 'info'])
export type Severity = z.infer<typeof Severity>
