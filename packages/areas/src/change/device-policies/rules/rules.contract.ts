// The rules of policies. Each is a flat object: the fields of its type stand beside its key.
import { nameText } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { FilterExpression } from '../../../fleet/filter-language/filter.contract.ts'
import { Severity } from '../../../platform/events/severity.contract.ts'
import { RemediationOrder } from '../remediation/remediation-order.contract.ts'
import { fileFields, fitsState, hasOneContent, registryFields, serviceFields } from './fact-rules.contract.ts'

export const RuleSeverity = Severity.exclude(['info'])
export type RuleSeverity = z.infer<typeof RuleSeverity>

export const ruleKey = () =>
  z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, {
    error: 'must consist of lower-case letters, digits, periods, hyphens and underscores',
  })

const about = {
  /** Rules of several policies with the same key replace each other on a device. */
  key: ruleKey(),
  severity: RuleSeverity.default('medium'),
  message: z.string().trim().min(1).max(500).nullable().default(null),
  /** No nearer policy replaces the rule. */
  locked: z.boolean().default(false),
  /** What repairs a violation. */
  remediation: RemediationOrder.nullable().default(null),
}
const version = z
  .string()
  .max(100)
  .regex(/^\d+(\.\d+)*/, { error: 'must be a version such as 1.2.3' })
const software = { software: nameText(), match: z.enum(['exact', 'contains']).default('exact') }

const DiskFree = z
  .strictObject({
    ...about,
    type: z.literal('disk.free'),
    mount: z.string().trim().min(1).max(1_024),
    minPercent: z.number().min(0).max(100).optional(),
    minBytes: z.int().min(0).optional(),
  })
  .refine(({ minPercent, minBytes }) => (minPercent === undefined) !== (minBytes === undefined), {
    path: ['minPercent'],
    error: 'needs either minPercent or minBytes',
  })

const File = z
  .strictObject({ ...about, type: z.literal('file'), ...fileFields })
  .refine(hasOneContent, {
    path: ['contains'],
    error: 'must not be given beside setting or sha256, nor these together',
  })
  .refine(fitsState, { path: ['state'], error: 'must be present for the other fields' })

export const Rule = z.discriminatedUnion('type', [
  z.strictObject({ ...about, type: z.literal('software.required'), ...software, minVersion: version.optional() }),
  z.strictObject({ ...about, type: z.literal('software.prohibited'), ...software }),
  DiskFree,
  z.strictObject({ ...about, type: z.literal('os.version'), min: version }),
  z.strictObject({ ...about, type: z.literal('filter'), filter: FilterExpression }),
  File,
  z
    .strictObject({ ...about, type: z.literal('service'), ...serviceFields })
    .refine(({ state, startup }) => state !== undefined || startup !== undefined, {
      path: ['state'],
      error: 'is needed without startup',
    }),
  z
    .strictObject({ ...about, type: z.literal('registry.value'), ...registryFields })
    .refine(({ state, value }) => state === 'present' || value === undefined, {
      path: ['value'],
      error: 'must not be given for an absent value',
    }),
  z.strictObject({ ...about, type: z.literal('firewall') }),
  z.strictObject({ ...about, type: z.literal('encryption') }),
])
export type Rule = z.infer<typeof Rule>
export type RuleType = Rule['type']
export type RuleOf<Type extends RuleType> = Extract<Rule, { type: Type }>

export const Rules = z
  .array(Rule)
  .max(100)
  .superRefine((rules, context) => {
    const keys = rules.map(({ key }) => key)
    for (const [index, key] of keys.entries())
      if (keys.indexOf(key) < index)
        context.addIssue({ code: 'custom', path: [index, 'key'], message: `another rule has the key ${key}` })
  })
