// What alert rules have in common with the templates that they follow.
import { flag, id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Severity } from '../../../platform/events/severity.contract.ts'
import { ruleSeconds } from './rule-test.contract.ts'

/** As a request gives them. */
export const ruleFields = {
  severity: Severity,
  forSeconds: ruleSeconds,
  clearForSeconds: ruleSeconds,
  autoResolve: flag(),
  reopenSeconds: ruleSeconds,
  title: z.string().trim().min(1).max(1_000).nullable(),
  message: z.string().trim().min(1).max(4_000).nullable(),
  channelIds: z.array(id()).max(20),
  policyId: id().nullable(),
  dependsOnRuleIds: z.array(id()).max(20),
}

/** As a response shows them. */
export const shownRuleFields = {
  severity: Severity,
  conditions: z.json(),
  forSeconds: z.number(),
  clearForSeconds: z.number(),
  autoResolve: z.boolean(),
  reopenSeconds: z.number(),
  title: z.string().nullable(),
  message: z.string().nullable(),
  channelIds: z.array(id()),
  policyId: id().nullable(),
  dependsOnRuleIds: z.array(id()),
}
