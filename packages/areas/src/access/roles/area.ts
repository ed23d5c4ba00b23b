import { area } from '../../area.ts'
import contract from './area.contract.ts'
import permissions from './permissions.ts'
import { permissionsExamples, rolesExamples } from './roles.examples.ts'
import roles from './roles.ts'

export default area({
  name: 'roles',
  contract,
  handlers: { permissions, roles },
  examples: { permissions: permissionsExamples, roles: rolesExamples },
})
