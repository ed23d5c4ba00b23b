import type { Db } from '@muster/db/database.ts'
import { activePolicies, policyMarks } from './active-policies.queries.ts'
import { PolicySets } from './device-states.ts'
import { noPlan, PolicyBook } from './plan.ts'

/** The policies of partners, kept from one evaluation to the next. */
export class PolicyBooks {
  readonly sets = new PolicySets()
  readonly #books = new Map<string, { readonly mark: string; readonly book: PolicyBook }>()

  /** The books as they are in the open transaction. */
  async read(db: Db, partnerIds: readonly string[]): Promise<ReadonlyMap<string, PolicyBook>> {
    const marks = await policyMarks(db, partnerIds)
    const stale = [...marks].flatMap(([id, mark]) => (this.#books.get(id)?.mark === mark ? [] : [id]))
    const fresh = stale.length === 0 ? [] : await activePolicies(db, stale)
    const byPartner = Map.groupBy(fresh, ({ partnerId }) => partnerId)
    for (const id of stale) {
      const book = new PolicyBook(byPartner.get(id) ?? [])
      this.#books.set(id, { mark: marks.get(id) ?? '', book })
    }
    for (const id of partnerIds) if (!marks.has(id)) this.#books.delete(id)
    return new Map(partnerIds.map((id) => [id, this.#books.get(id)?.book ?? noPlan]))
  }
}
