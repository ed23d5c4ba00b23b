import { can, get, id, moment, page, pageOf, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { AuditLog } from './logs.contract.ts'

/** The last thirty days by default. */
const period = {
  partnerId: id().optional(),
  orgId: id().optional(),
  from: moment().optional(),
  to: moment().optional(),
}
const Period = { from: time(), to: time() }
const Count = z.object({ name: z.string(), count: z.number() })

export const reports = {
  userActivity: get('/audit/reports/user-activity', {
    summary: 'Get a report of what each user and API key did',
    access: can('audit:read'),
    input: z.object({ ...period, ...page }),
    output: z.object({
      ...Period,
      ...pageOf(
        z.object({
          actorType: z.string(),
          actorId: id().nullable(),
          actorEmail: z.string().nullable(),
          events: z.number(),
          changes: z.number(),
          signIns: z.number(),
          failures: z.number(),
          firstAt: time(),
          lastAt: time(),
        }),
      ).shape,
    }),
  }),
  securityEvents: get('/audit/reports/security-events', {
    summary: 'Get a report of security events: sign-ins, second factors, roles, users and API keys',
    access: can('audit:read'),
    input: z.object({ ...period, ...page }),
    output: z.object({ ...Period, counts: z.array(Count), ...pageOf(AuditLog).shape }),
  }),
  compliance: get('/audit/reports/compliance', {
    summary:
      'Get evidence for an auditor: what is recorded since when, how it is protected, and how access was managed',
    access: can('audit:read'),
    input: z.object(period),
    output: z.object({
      ...Period,
      records: z.number(),
      oldestAt: time().nullable(),
      chained: z.number(),
      lastSignedAt: time().nullable(),
      access: z.object({
        invited: z.number(),
        removed: z.number(),
        rolesAssigned: z.number(),
        rolesChanged: z.number(),
        secondFactorsDisabled: z.number(),
        failedSignIns: z.number(),
        reviewsCompleted: z.number(),
        exports: z.number(),
      }),
      byResource: z.array(Count),
    }),
  }),
  stats: get('/audit/stats', {
    summary: 'Get the number of audit records by action, result, actor and day',
    access: can('audit:read'),
    input: z.object(period),
    output: z.object({
      ...Period,
      total: z.number(),
      byAction: z.array(Count),
      byResult: z.array(Count),
      byActor: z.array(Count),
      byDay: z.array(Count),
    }),
  }),
}
