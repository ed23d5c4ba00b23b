import type { Scope } from '@muster/kit/contract.ts'
import type { ExamplesOf, Stage } from '../../examples.ts'
import type { invitations } from './invitations/invitations.contract.ts'
import type { profile } from './profile.contract.ts'
import type { protection } from './protection.contract.ts'
import type { users } from './users.contract.ts'

/** A system caller has to name the partner. */
const ofPartner = ({ partner }: Stage, scope: Scope) => (scope === 'system' ? { partnerId: partner } : {})
const viewer = ({ partnerViewerRole, orgViewerRole }: Stage, scope: Scope) =>
  scope === 'organization' ? orgViewerRole : partnerViewerRole

export const usersExamples: ExamplesOf<typeof users> = {
  ofRole: { about: 'partner', input: ({ role }) => ({ id: role }) },
  list: { about: 'partner', lists: true, input: (stage, scope) => ({ limit: 500, ...ofPartner(stage, scope) }) },
  roles: { about: 'partner', lists: true, input: ofPartner },
  get: { about: 'partner', input: ({ user }) => ({ id: user }) },
  update: {
    about: 'partner',
    whole: true,
    input: ({ user }) => ({ id: user, status: 'disabled' as const }),
    proves: ({ administrator }) => ({ id: administrator, status: 'disabled' as const }),
  },
  remove: {
    about: 'partner',
    whole: true,
    input: ({ user }) => ({ id: user }),
    proves: ({ administrator }) => ({ id: administrator }),
  },
  role: {
    about: 'partner',
    whole: true,
    input: (stage) => ({ id: stage.user, roleId: stage.role }),
    proves: (stage) => ({ id: stage.user, roleId: stage.partnerAdminRole }),
  },
}

export const protectionExamples: ExamplesOf<typeof protection> = {
  endSessions: { about: 'partner', whole: true, input: ({ user }) => ({ id: user }) },
  resetMfa: { about: 'partner', whole: true, input: ({ user }) => ({ id: user }) },
  // The users of the stage have no passwords.
  resetPassword: { about: 'partner', whole: true, answers: [400], input: ({ user }) => ({ id: user }) },
}

export const invitationsExamples: ExamplesOf<typeof invitations> = {
  invite: {
    about: 'own',
    whole: true,
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
    about: 'partner',
    whole: true,
    input: ({ invitedUser }) => ({ userId: invitedUser }),
    proves: ({ invitedAdministrator }) => ({ userId: invitedAdministrator }),
  },
  acceptInvite: {
    about: 'own',
    answers: [400],
    input: () => ({ token: 'not-an-invitation', password: 'correct horse battery 42' }),
  },
}

export const profileExamples: ExamplesOf<typeof profile> = {
  get: { about: 'own', input: () => ({}) },
  update: { about: 'own', input: () => ({ name: 'New name' }) },
}
