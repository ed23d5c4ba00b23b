import type { Scope } from '@muster/kit/contract.ts'
import type { ExamplesOf, Stage } from '../../examples.ts'
import type { permissions } from './permissions.contract.ts'
import type { roles } from './roles.contract.ts'

/** System scope has to say whose roles it means. */
const ofPartner = ({ partner }: Stage, scope: Scope) => (scope === 'system' ? { partnerId: partner } : {})

export const rolesExamples: ExamplesOf<typeof roles> = {
  list: { about: 'partner', lists: true, input: ofPartner },
  create: {
    about: 'own',
    whole: true,
    input: (stage, scope) => ({
      name: stage.fresh(),
      permissions: [{ resource: 'devices' as const, action: 'read' as const }],
      ...ofPartner(stage, scope),
    }),
  },
  get: { about: 'partner', input: ({ role }) => ({ id: role }) },
  update: { about: 'partner', whole: true, input: ({ role }) => ({ id: role, description: 'What it is for' }) },
  remove: { about: 'partner', whole: true, input: ({ unusedRole }) => ({ id: unusedRole }) },
  clone: { about: 'partner', whole: true, input: (stage) => ({ id: stage.role, name: stage.fresh() }) },
  effectivePermissions: { about: 'partner', input: ({ role }) => ({ id: role }) },
}

export const permissionsExamples: ExamplesOf<typeof permissions> = {
  available: { about: 'own', input: () => ({}) },
  catalog: { about: 'own', input: () => ({}) },
}
