// The functions of roles that other areas may use.
export { administratorsOf, keepingAnAdministrator, partnerAdministrators } from './administrators.ts'
export { addAdministratorRole, ensureBuiltInRoles } from './built-in.ts'
export { addRole, deleteRole, renameRole } from './external-roles.ts'
export { allowsChanges, holdsAll, requireHeld, requireNotGreater } from './grants.ts'
export { effectivePermissions, permissionsOf, type RoleRow, roleById, roleFor, rolesFor } from './roles.queries.ts'
