import type { Scope } from '@muster/kit/contract.ts'
import type { ExamplesOf, Stage } from '../../examples.ts'
import type { invitations } from './invitations/invitations.contract.ts'
import type { profile } from './profile.contract.ts'
import type { protection } from './protection/protection.contract.ts'
import type { users } from './users.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** Members of the partner and of the organization, and one who is invited to the partner. */
    readonly user: string
    readonly orgUser: string
    readonly invitedUser: string
    /** An administrator of the partner, and one who is invited. */
    readonly administrator: string
    readonly invitedAdministrator: string
  }
}

/** A system caller has to name the partner. */
const ofPartner = ({ partner }: Stage, scope: Scope) => (scope === 'system' ? { partnerId: partner } : {})
const viewer = ({ partnerViewerRole, orgViewerRole }: Stage, scope: Scope) =>
  scope === 'organization' ? orgViewerRole : partnerViewerRole

export const usersExamples: ExamplesOf<typeof users> = {
  ofRole: { subject: 'partner', input: ({ role }) => ({ id: role }) },
  list: { subject: 'partner', lists: true, input: (stage, scope) => ({ limit: 500, ...ofPartner(stage, scope) }) },
  roles: { subject: 'partner', lists: true, input: ofPartner },
  get: { subject: 'partner', input: ({ user }) => ({ id: user }) },
  update: {
    subject: 'partner',
    wholePartnerOnly: true,
    input: ({ user }) => ({ id: user, status: 'disabled' as const }),
    proves: ({ administrator }) => ({ id: administrator, status: 'disabled' as const }),
  },
  remove: {
    subject: 'partner',
    wholePartnerOnly: true,
    input: ({ user }) => ({ id: user }),
    proves: ({ administrator }) => ({ id: administrator }),
  },
  role: {
    subject: 'partner',
    wholePartnerOnly: true,
    input: (stage) => ({ id: stage.user, roleId: stage.role }),
    proves: (stage) => ({ id: stage.user, roleId: stage.partnerAdminRole }),
  },
}

export const protectionExamples: ExamplesOf<typeof protection> = {
  endSessions: { subject: 'partner', wholePartnerOnly: true, input: ({ user }) => ({ id: user }) },
  resetMfa: { subject: 'partner', wholePartnerOnly: true, input: ({ user }) => ({ id: user }) },
  // The users of the stage have no passwords.
  resetPassword: { subject: 'partner', wholePartnerOnly: true, answers: [400], input: ({ user }) => ({ id: user }) },
}

export const invitationsExamples: ExamplesOf<typeof invitations> = {
  invite: {
    subject: 'own',
    wholePartnerOnly: true,
    input: (stage, scope) => ({
      email: `${stage.fresh()}@example.test`,
      name: 'Guest',
      roleId: viewer(stage, scope),
      ...ofPartner(stage, scope),
    }),
    proves: (stage, scope) => ({
      email: `${stage.fresh()}@example.test`,
      name: 'Guest',
      roleId: scope === 'organization' ? stage.orgAdminRole : stage.partnerAdminRole,
      ...ofPartner(stage, scope),
    }),
  },
  resendInvite: {
    subject: 'partner',
    wholePartnerOnly: true,
    input: ({ invitedUser }) => ({ userId: invitedUser }),
    proves: ({ invitedAdministrator }) => ({ userId: invitedAdministrator }),
  },
  acceptInvite: {
    subject: 'own',
    answers: [400],
    input: () => ({ token: 'not-an-invitation', password: 'correct horse battery 42' }),
  },
}

export const profileExamples: ExamplesOf<typeof profile> = {
  get: { subject: 'own', input: () => ({}) },
  update: { subject: 'own', input: () => ({ name: 'New name' }) },
}
