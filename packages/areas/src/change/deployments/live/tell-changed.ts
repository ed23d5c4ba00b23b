// Tells screens that a deployment changed.
import type { Call } from '../../../operation.ts'
import { liveEvent, type PartnerEvent, publishEvents } from '../../../platform/live-events/index.ts'
import { deploymentChanged } from './live-deployments.contract.ts'

interface Place {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
}

/** One of the whole partner has the partner's id as its place. */
export const changeOf = ({ id, partnerId, orgId }: Place): PartnerEvent =>
  liveEvent(deploymentChanged, partnerId, { orgId: orgId ?? partnerId, deploymentId: id, at: Date.now() })

/** Tells them after the commit. */
export const tellChanged = ({ services, afterCommit }: Pick<Call, 'services' | 'afterCommit'>, row: Place): void =>
  afterCommit(() => publishEvents(services.redis, [changeOf(row)]))

/** How often the watchers of one deployment hear of it at most. */
const everyMs = 1_000

/** Changes of deployments that a worker made, each published at most once in a while. The last change is never lost. */
export class Changes {
  readonly #waiting = new Map<string, PartnerEvent>()
  readonly #publishedAt = new Map<string, number>()

  note(id: string, change: PartnerEvent): void {
    this.#waiting.set(id, change)
  }

  /** Those that are due. */
  take(nowMs: number): PartnerEvent[] {
    for (const [id, at] of this.#publishedAt) if (nowMs - at >= everyMs) this.#publishedAt.delete(id)
    const due = [...this.#waiting].filter(([id]) => !this.#publishedAt.has(id))
    for (const [id] of due) {
      this.#waiting.delete(id)
      this.#publishedAt.set(id, nowMs)
    }
    return due.map(([, change]) => change)
  }
}
