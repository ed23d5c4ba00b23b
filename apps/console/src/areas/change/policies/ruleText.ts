import { expectationOf } from '@muster/areas/change/device-policies/rules/judge.rules.ts'
import type { Rule } from '@muster/areas/change/device-policies/rules/rules.contract.ts'
import { many } from '../../../ui/text/quantity.ts'
import { capital } from '../../../ui/text/words.ts'
import { conditionsIn } from '../../fleet/filters/draft.ts'

/** What a rule requires, in words. Names and paths keep their case. */
export function requirementOf(rule: Rule): string {
  switch (rule.type) {
    case 'filter':
      return `Matches a filter of ${many(conditionsIn(rule.filter), 'condition')}`
    case 'os.version':
      return `Operating system ${expectationOf(rule)}`
    case 'service':
      return `Service ${expectationOf(rule)}`
    case 'disk.free':
    case 'firewall':
    case 'encryption':
      return capital(expectationOf(rule))
    default:
      return expectationOf(rule)
  }
}
