import { can, csv, get, id, page, pageOf, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Remediation } from '../remediation/remediation.contract.ts'
import { RuleSeverity } from '../rules/rules.contract.ts'
import { ComplianceStatus, Counts, compliancePercent } from './counts.contract.ts'

/** A rule that a device does not keep, or that could not be judged. */
export const FailedRule = z.object({
  key: z.string(),
  type: z.string(),
  severity: RuleSeverity,
  message: z.string().nullable(),
  status: z.enum(['non_compliant', 'error']),
  expected: z.string(),
  actual: z.string().nullable(),
})

export const DeviceCompliance = z.object({
  deviceId: id(),
  hostname: z.string(),
  orgId: id(),
  status: ComplianceStatus,
  since: time(),
  failed: z.array(FailedRule),
  exception: z.object({ id: id(), reason: z.string(), expiresAt: time().nullable() }).nullable(),
  /** Null unless the policy repairs something on the device. */
  remediation: Remediation.nullable(),
})

const PolicyCompliance = z.object({
  id: id(),
  name: z.string(),
  orgId: id().nullable(),
  mode: z.string(),
  counts: Counts,
  compliancePercent,
})
export const Transition = z.object({
  id: id(),
  deviceId: id(),
  hostname: z.string(),
  at: time(),
  before: ComplianceStatus,
  after: ComplianceStatus,
  failed: z.array(FailedRule),
})

export const compliance = {
  stats: get('/policies/compliance/stats', {
    summary: 'Get how many devices comply with the active policies, by organization',
    access: can('devices:read'),
    input: z.object({ orgId: id().optional() }),
    output: z.object({
      totals: Counts,
      compliancePercent,
      byOrganization: z.array(z.object({ orgId: id(), name: z.string(), ...Counts.shape, compliancePercent })),
    }),
  }),
  summary: get('/policies/compliance/summary', {
    summary: 'Get the active policies with their counts, and the trend of 30 days',
    access: can('devices:read'),
    input: z.object({ orgId: id().optional() }),
    output: z.object({
      policies: z.array(PolicyCompliance),
      /** Counted each hour. Days on which nothing was counted are left out. */
      trend: z.array(z.object({ day: z.iso.date(), ...Counts.shape, compliancePercent })),
    }),
  }),
  list: get('/policies/:id/compliance', {
    summary: 'List the devices of a policy, with the rules that they do not keep',
    access: can('devices:read'),
    input: z.object({
      id: id(),
      status: csv(ComplianceStatus).optional(),
      search: z.string().max(255).optional(),
      orgId: id().optional(),
      ...page,
    }),
    output: pageOf(DeviceCompliance),
  }),
  transitions: get('/policies/:id/transitions', {
    summary: 'List when devices stopped and started to comply with a policy, newest first',
    access: can('devices:read'),
    input: z.object({ id: id(), deviceId: id().optional(), ...page }),
    output: pageOf(Transition),
  }),
  evaluate: post('/policies/:id/evaluate', {
    summary: 'Run an active policy on its devices now. More than 1,000 devices are evaluated in the background',
    access: can('settings:write'),
    audit: { unaudited: 'looks at devices and changes no setting' },
    input: z.object({ id: id(), deviceIds: csv(id(), 10_000).optional() }),
    answers: [202],
    statusOf: (output) => (z.object({ queued: z.literal(true) }).safeParse(output).success ? 202 : 200),
    output: z.union([
      z.object({
        evaluated: z.number(),
        compliant: z.number(),
        nonCompliant: z.number(),
        pending: z.number(),
        error: z.number(),
      }),
      z.object({ queued: z.literal(true), devices: z.number() }),
    ]),
  }),
}
