import type { z } from 'zod'
import type { Finding } from '../evaluation/pairs.rules.ts'
import { FailedRule } from './compliance.contract.ts'

/** What callers see of the findings of a device. Rules whose fact is not known yet have not failed. */
export const failedOf = (findings: readonly Finding[]): z.infer<typeof FailedRule>[] =>
  findings.flatMap(({ status, ...rest }) => (status === 'pending' ? [] : [FailedRule.parse({ ...rest, status })]))
