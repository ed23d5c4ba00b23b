// One valid input for every operation, and what it is about: what the gates try every operation with. Beside each
// contract stands a file of them; an operation without one does not compile.
import type { Endpoint, Scope } from '@muster/kit/contract.ts'

/** Ids of one thing of each kind. Unless said otherwise they belong to one organisation of one partner. */
export interface Stage {
  readonly partner: string
  readonly org: string
  /** Another organisation of the partner. */
  readonly otherOrg: string
  readonly site: string
  /** In the site and in the group. */
  readonly device: string
  /** A device that is not a member of the group. */
  readonly otherDevice: string
  readonly group: string
  /** Waiting for the device. */
  readonly command: string
  /** The request that led to that command. */
  readonly commandBatch: string
  readonly customField: string
  readonly customFieldKey: string
  readonly filter: string
  readonly enrollmentKey: string
  /** Without an end and without a limit of uses. */
  readonly openEnrollmentKey: string
  /** Of the organisation as a whole. */
  readonly versionPin: string
  /** Custom roles of the partner and of the organisation. */
  readonly role: string
  readonly orgRole: string
  /** A role that nobody has. */
  readonly unusedRole: string
  /** Built-in roles for members of partners and of organisations. */
  readonly partnerViewerRole: string
  readonly partnerAdminRole: string
  readonly orgAdminRole: string
  readonly orgViewerRole: string
  /** Members of the partner and of the organisation, and one who is still invited to the partner. */
  readonly user: string
  readonly orgUser: string
  readonly invitedUser: string
  /** An administrator of the partner, and one who is still invited. */
  readonly administrator: string
  readonly invitedAdministrator: string
  /** An open session and a passkey of the partner's member. */
  readonly session: string
  readonly passkey: string
  /** Made by the partner's administrator. */
  readonly apiKey: string
  /** A review of the partner's members. */
  readonly review: string
  readonly reviewItem: string
  /** An audit record of the organisation. */
  readonly record: string
  readonly mail: string
  /** Of the organisation, active, at an address that cannot be asked; with one person linked. */
  readonly ssoProvider: string
  readonly ssoIdentity: string
  /** With which the provider keeps the organisation's members up to date. */
  readonly scimToken: string
  /** Another text at each call, for names that have to be free. */
  fresh(): string
}

/**
 * What an input names or a list shows, from wide to narrow. `own`: what belongs to the caller alone, or to no one.
 * `foreign`: what belongs to another person alone, so that no caller reaches it.
 */
export type About = 'own' | 'foreign' | 'partner' | 'organization' | 'site' | 'device'

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
  readonly about: About
  /** The input names nothing: who cannot reach what it is about gets an answer without it. */
  readonly lists?: true
  /** Takes many ids and passes over those that are out of reach. */
  readonly each?: true
  /** Only those without limits inside their partner or organization may; others are refused with 403. */
  readonly whole?: true
  /** The answer of a read need not show what it is about. */
  readonly quiet?: true
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
