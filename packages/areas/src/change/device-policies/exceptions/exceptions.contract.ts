import { can, create, del, get, id, moment, page, pageOf, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ruleKey } from '../rules/rules.contract.ts'

/** Devices that do not have to keep a rule of a policy, or any of its rules. */
export const PolicyException = z.object({
  id: id(),
  policyId: id(),
  partnerId: id(),
  orgId: id(),
  deviceId: id().nullable(),
  groupId: id().nullable(),
  /** Null: all rules. */
  ruleKey: z.string().nullable(),
  reason: z.string(),
  expiresAt: time().nullable(),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type PolicyException = z.infer<typeof PolicyException>

export const exceptions = {
  list: get('/policies/:id/exceptions', {
    summary: 'List the exceptions of a policy, newest first',
    access: can('devices:read'),
    input: z.object({ id: id(), ...page }),
    output: pageOf(PolicyException),
  }),
  create: create('/policies/:id/exceptions', {
    summary: 'Add an exception from a policy or one of its rules, for a device or a group',
    access: can('settings:write'),
    audit: 'policy_exception.create',
    input: z.object({
      id: id(),
      deviceId: id().nullable().default(null),
      groupId: id().nullable().default(null),
      ruleKey: ruleKey().nullable().default(null),
      reason: z.string().trim().min(1).max(1_000),
      expiresAt: moment().nullable().default(null),
    }),
    output: PolicyException,
  }),
  remove: del('/policies/:id/exceptions/:exceptionId', {
    summary: 'End an exception of a policy',
    access: can('settings:write'),
    audit: 'policy_exception.delete',
    input: z.object({ id: id(), exceptionId: id() }),
    output: success,
  }),
}
