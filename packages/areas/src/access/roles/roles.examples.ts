import type { Scope } from '@muster/kit/contract.ts'
import type { ExamplesOf, Stage } from '../../examples.ts'
import type { permissions } from './permissions.contract.ts'
import type { roles } from './roles.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** Custom roles of the partner and of the organization. */
    readonly role: string
    readonly orgRole: string
    /** A role that no user has. */
    readonly unusedRole: string
    /** Built-in roles for members of partners and of organizations. */
    readonly partnerViewerRole: string
    readonly partnerAdminRole: string
    readonly orgAdminRole: string
    readonly orgViewerRole: string
  }
}

/** A system caller has to name the partner. */
const ofPartner = ({ partner }: Stage, scope: Scope) => (scope === 'system' ? { partnerId: partner } : {})

export const rolesExamples: ExamplesOf<typeof roles> = {
  list: { subject: 'partner', lists: true, input: ofPartner },
  create: {
    subject: 'own',
    wholePartnerOnly: true,
    input: (stage, scope) => ({
      name: stage.fresh(),
      permissions: [{ resource: 'devices' as const, action: 'read' as const }],
      ...ofPartner(stage, scope),
    }),
  },
  get: { subject: 'partner', input: ({ role }) => ({ id: role }) },
  update: {
    subject: 'partner',
    wholePartnerOnly: true,
    input: ({ role }) => ({ id: role, description: 'A new description' }),
  },
  remove: { subject: 'partner', wholePartnerOnly: true, input: ({ unusedRole }) => ({ id: unusedRole }) },
  clone: { subject: 'partner', wholePartnerOnly: true, input: (stage) => ({ id: stage.role, name: stage.fresh() }) },
  effectivePermissions: { subject: 'partner', input: ({ role }) => ({ id: role }) },
}

export const permissionsExamples: ExamplesOf<typeof permissions> = {
  available: { subject: 'own', input: () => ({}) },
  catalog: { subject: 'own', input: () => ({}) },
}
