// What other areas may use of roles.
export { administratorsOf, keepingAnAdministrator, partnerAdministrators } from './administrators.ts'
export { ensureBuiltInRoles } from './built-in.ts'
export { addRole, dropRole, renameRole } from './external-roles.ts'
export { grantsPower, holdsAll, requireHeld, requireNotGreater } from './grants.ts'
export { effectivePermissions, permissionsOf, type RoleRow, roleById, roleFor, rolesFor } from './roles.queries.ts'
