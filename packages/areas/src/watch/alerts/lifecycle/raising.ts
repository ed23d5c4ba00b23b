import type { Severity } from '../../../platform/events/severity.contract.ts'
import type { AlertSource } from '../words.contract.ts'

/** A condition that became true. */
export interface Raise {
  readonly source: AlertSource
  /** What it is about, unique in its source. One alert per key is open. */
  readonly key: string
  readonly partnerId: string
  readonly orgId: string
  readonly siteId?: string | null
  readonly deviceId?: string | null
  readonly ruleId?: string | null
  readonly ruleVersion?: number | null
  readonly monitorId?: string | null
  readonly severity: Severity
  readonly title: string
  readonly message: string
  readonly context?: Readonly<Record<string, unknown>>
  readonly autoResolve?: boolean
  readonly reopenSeconds?: number
  /** Told at once, beside the policy. */
  readonly channelIds?: readonly string[]
  /** Applies regardless of what it matches. */
  readonly policyId?: string | null
  /** Rules whose open alerts about the same device suppress this one. */
  readonly dependsOnRuleIds?: readonly string[]
  readonly snoozedUntil?: string | null
}
