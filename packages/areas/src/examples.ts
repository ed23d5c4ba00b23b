// One valid input for every operation, and its subject: what the gates try every operation with. Beside each contract stands
// a file of them; an operation without one does not compile.
import type { Endpoint, Scope } from '@muster/kit/contract.ts'

/**
 * Ids of one thing of each kind. Unless said otherwise they belong to one organization of one partner. Each area adds its own
 * beside its examples, and makes them in its `area.stage.ts`.
 */
export interface Stage {
  /** Another text at each call, for names that have to be free. */
  fresh(): string
}

/**
 * What an input names or a list shows, from wide to narrow. `own`: what belongs to the caller alone, or to no one.
 * `foreign`: what belongs to another person alone, so that no caller reaches it.
 */
export type Subject = 'own' | 'foreign' | 'partner' | 'organization' | 'site' | 'device'

/** Callers for whom an operation does not follow the general rule of reach. */
export type Exception =
  | 'system'
  | 'partner'
  | 'selected'
  | 'selectedOther'
  | 'none'
  | 'orgAdmin'
  | 'siteMember'
  | 'otherSiteMember'
  | 'groupMember'
  | 'otherGroupMember'
  | 'otherOrgAdmin'
  | 'foreignOrgAdmin'

export interface Example<Wire> {
  input(stage: Stage, scope: Scope): Wire
  readonly subject: Subject
  /** The input names nothing: callers who cannot reach the subject get an answer without it. */
  readonly lists?: true
  /** Takes many ids and skips those that are out of reach. */
  readonly skipsHidden?: true
  /** For callers who reach their whole partner or organization; others are refused with 403. */
  readonly wholePartnerOnly?: true
  /** The answer of a read does not show its subject. */
  readonly hidesSubject?: true
  /** Where reach is not as usual. */
  readonly reach?: Partial<Record<Exception, boolean>>
  /** Callers who are refused for a reason of the operation's own. */
  readonly refuses?: Partial<Record<Exception, number>>
  /** Headers with which its own kind of credential comes, for operations that know no caller. */
  headers?(stage: Stage): Readonly<Record<string, string>>
  /** Of an operation that takes a fresh proof on an occasion: an input that is one. The usual input is none. */
  proves?(stage: Stage, scope: Scope): Wire
  /** Statuses that are right although the caller may: the operation needs more than an example can bring. */
  readonly answers?: readonly number[]
}

export type ExamplesOf<R> = {
  readonly [Name in keyof R]: R[Name] extends Endpoint<infer _K, infer Wire, infer _I, infer _O> ? Example<Wire> : never
}
