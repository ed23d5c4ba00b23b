import { ask, can, get, id, moment, page, pageOf } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** An alert that probably caused another one. */
export const Correlation = z.object({
  id: id(),
  causeAlertId: id(),
  effectAlertId: id(),
  confidence: z.number(),
  evidence: z.array(z.string()),
})
export type Correlation = z.infer<typeof Correlation>

/** Alerts that belong together. */
export const CorrelationGroup = z.object({
  id: id(),
  rootAlertId: id(),
  alertIds: z.array(id()),
  orgId: id(),
  status: z.enum(['open', 'closed']),
  confidence: z.number(),
  evidence: z.array(z.string()),
})
export type CorrelationGroup = z.infer<typeof CorrelationGroup>

const choice = { orgId: id().optional(), from: moment().optional(), to: moment().optional() }

export const correlations = {
  list: get('/alert-templates/correlations', {
    summary: 'List alerts that probably caused others, of the last 24 hours unless a time is given',
    access: can('alerts:read'),
    input: z.object({ ...choice, ...page }),
    output: pageOf(Correlation),
  }),
  groups: get('/alert-templates/correlations/groups', {
    summary: 'List groups of alerts that belong together, of the last 24 hours unless a time is given',
    access: can('alerts:read'),
    input: z.object({ ...choice, status: z.enum(['open', 'closed']).optional(), ...page }),
    output: pageOf(CorrelationGroup),
  }),
  analyze: ask('/alert-templates/correlations/analyze', {
    summary: 'Preview which alerts belong together. Nothing is stored',
    access: can('alerts:read'),
    input: z
      .object({
        alertIds: z.array(id()).min(1).max(500).optional(),
        ...choice,
        windowMinutes: z.int().min(5).max(1_440).default(60),
      })
      .refine(({ alertIds, orgId }) => (alertIds === undefined) !== (orgId === undefined), {
        error: 'Give either alertIds or orgId',
      }),
    output: z.object({ groups: z.array(CorrelationGroup) }),
  }),
}
