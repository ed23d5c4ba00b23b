// The events of policies that Muster keeps: a device stopped or started to comply.
import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'
import { ComplianceStatus } from './compliance/counts.contract.ts'

const fields = {
  policyId: id(),
  policyName: z.string(),
  hostname: z.string(),
  status: ComplianceStatus,
  /** The keys of the rules that are not kept. */
  rules: z.array(z.string()),
}

export const policyViolated = eventType('policy.violated', 'device', fields)
export const policyRestored = eventType('policy.restored', 'device', fields)
export const policyEvents = [policyViolated, policyRestored] as const
