import { can, get, id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { FailedRule } from '../compliance/compliance.contract.ts'
import { ComplianceStatus } from '../compliance/counts.contract.ts'
import { Level } from '../resolve/levels.contract.ts'
import { Rule } from '../rules/rules.contract.ts'
import { SettingName, SettingValue } from '../settings/settings.contract.ts'

/** Why a rule is in effect instead of the others with its key. */
export const Why = z.enum(['only', 'nearer', 'locked', 'priority', 'older'])
export type Why = z.infer<typeof Why>

const From = z.object({ policyId: id(), name: z.string(), level: Level })

export const devicePolicies = {
  get: get('/devices/:id/policies', {
    summary:
      'Get the policies of a device: the rules and settings in effect, where they come from and what they replace',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: z.object({
      deviceId: id(),
      /** Null until the device was evaluated. */
      evaluatedAt: time().nullable(),
      policies: z.array(
        z.object({
          ...From.shape,
          priority: z.number(),
          mode: z.string(),
          /** Null until the device was evaluated. */
          status: ComplianceStatus.nullable(),
          /** By the last evaluation. */
          failed: z.array(FailedRule),
          /** Why the policy does not apply to the device; null if it does. */
          skipped: z.enum(['os', 'filter']).nullable(),
        }),
      ),
      rules: z.array(
        z.object({
          key: z.string(),
          value: Rule,
          ...From.shape,
          why: Why,
          overrode: z.array(z.object({ ...From.shape, value: Rule })),
        }),
      ),
      settings: z.array(
        z.object({
          key: SettingName,
          value: SettingValue,
          ...From.shape,
          why: Why,
          overrode: z.array(z.object({ ...From.shape, value: SettingValue })),
        }),
      ),
    }),
  }),
}
