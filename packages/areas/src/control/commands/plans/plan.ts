import type { QueuedCommand } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import type { PlanContent, PlanSubject } from './plan.contract.ts'

/** Lasting work as its area asks for its start. */
export interface Plan {
  readonly subject: PlanSubject
  /** The commands that it sends. */
  readonly types: readonly QueuedCommand[]
  /** It changes machines in another way than by commands. */
  readonly changesMachines?: boolean
  /** Its devices, or how many it reaches at once and where it finds them; null for all of the partner. */
  readonly reach:
    | { readonly targets: readonly Pick<Target, 'id' | 'orgId' | 'partnerId'>[] }
    | { readonly devices: number; readonly partnerId: string; readonly orgIds: readonly string[] | null }
  /** What a second person is shown. */
  readonly content: PlanContent
}
