// What the parts of the editor are given.
import type { ActionDraft } from './actions/actionDraft.ts'
import type { AutomationDraft } from './automationDraft.ts'
import type { FaultAt } from './faults.ts'
import type { TriggerDraft } from './trigger/triggerDraft.ts'

interface Props {
  /** What the server said of the fields of this part. */
  readonly faultAt: FaultAt
}

export interface DraftProps extends Props {
  readonly draft: AutomationDraft
  /** Null for the whole partner. */
  readonly orgId: string | null
  set(part: Partial<AutomationDraft>): void
}

export interface TriggerProps extends Props {
  readonly trigger: TriggerDraft
  change(trigger: TriggerDraft): void
}

export interface ActionProps extends Props {
  readonly draft: ActionDraft
  /** The organization of the automation; null for the whole partner. */
  readonly orgId: string | null
  change(draft: ActionDraft): void
}
