import { z } from 'zod'

/** Of a policy on a device. `pending`: a fact is not known yet. `error`: a rule could not be judged. */
export const ComplianceStatus = z.enum(['compliant', 'non_compliant', 'error', 'pending', 'exempt', 'not_applicable'])
export type ComplianceStatus = z.infer<typeof ComplianceStatus>

/** Pairs of a policy and a device, by their status. */
export const Counts = z.object({
  devices: z.number(),
  compliant: z.number(),
  nonCompliant: z.number(),
  error: z.number(),
  pending: z.number(),
  exempt: z.number(),
  notApplicable: z.number(),
})
export type Counts = z.infer<typeof Counts>

/** Of the pairs whose compliance is known or should be; null if there are none. */
export const compliancePercent = z.number().nullable()
