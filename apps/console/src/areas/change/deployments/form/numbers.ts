// What is wrong with the numbers of a draft, by the schemas of the request.
import { strategyFields } from '@muster/areas/change/deployments/batches/strategy.contract.ts'
import { Gate } from '@muster/areas/change/deployments/gates/gate.contract.ts'
import type { z } from 'zod'
import type { BatchDraft, DeploymentDraft, GateDraft } from './deploymentDraft.ts'

/** What is wrong with a typed number; undefined if nothing is. */
function faultBy(schema: z.ZodType, text: string, value: unknown = Number(text)): string | undefined {
  if (text.trim() === '' || Number.isNaN(Number(text))) return 'Enter a number'
  const issue = schema.safeParse(value).error?.issues[0]
  return issue && `Must be ${limitOf(issue)}`
}

function limitOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
  if (issue.code === 'too_big') return `at most ${issue.maximum}`
  return 'a whole number'
}

const { soakSeconds, successPercent, maxConcurrency, retries, perMinute, maxErrors } = strategyFields
const shares = successPercent

export function faultsOf(draft: DeploymentDraft) {
  const { max, delaySeconds } = retries.shape
  const [percent, count] = maxErrors.options
  return {
    soakSeconds: faultBy(soakSeconds, draft.soakSeconds),
    successPercent: faultBy(successPercent, draft.successPercent),
    errors: faultBy(draft.errorKind === 'count' ? count.shape.count : percent.shape.percent, draft.errors),
    maxConcurrency: faultBy(maxConcurrency, draft.maxConcurrency),
    perMinute: draft.perMinute.trim() === '' ? undefined : faultBy(perMinute.unwrap(), draft.perMinute),
    retries: faultBy(max, draft.retries),
    retrySeconds: faultBy(delaySeconds, draft.retrySeconds),
  }
}

export function faultOfBatch({ kind, number }: BatchDraft): string | undefined {
  const [percent, count] = strategyFields.batches.element.options
  if (kind === 'percent') return faultBy(percent.shape.percent, number)
  return kind === 'count' ? faultBy(count.shape.count, number) : undefined
}

export function faultOfGate({ type, number }: GateDraft): string | undefined {
  const [, , alerts, metric] = Gate.options
  if (type === 'person') return undefined
  if (type === 'alerts') return faultBy(alerts.shape.max, number)
  return faultBy(type === 'metric' ? metric.shape.worseByPercent : shares, number)
}

export const hasFault = (draft: DeploymentDraft): boolean =>
  Object.values(faultsOf(draft)).some((fault) => fault !== undefined) ||
  draft.batches.some((batch) => faultOfBatch(batch) !== undefined) ||
  draft.gates.some((gate) => faultOfGate(gate) !== undefined)
