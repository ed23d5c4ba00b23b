import type { Caller } from '@muster/kit/access.ts'
import { hasPermission } from '@muster/kit/access.ts'
import { denied, invalid } from '@muster/kit/errors.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { isPermission } from '../../vocabulary.contract.ts'

/** Alternative words for an action. Roles always show the word on the right. */
export const synonyms = { view: 'read', create: 'write', update: 'write' } as const
const plainAction = (action: string) => (action in synonyms ? synonyms[action as keyof typeof synonyms] : action)

/** Permissions in the stored form. @throws VALIDATION_ERROR for a pair that does not exist */
export function knownPermissions(given: readonly { resource: string; action: string }[]): Set<Permission> {
  return new Set(
    given.map(({ resource, action }) => {
      const permission = `${resource}:${plainAction(action)}`
      if (!isPermission(permission))
        throw invalid(`permissions: ${resource}:${action} does not exist. GET /permissions lists all`)
      return permission
    }),
  )
}

/** Whether the caller holds all of the permissions. */
export const holdsAll = (caller: Caller, permissions: Iterable<Permission>): boolean =>
  [...permissions].every((permission) => hasPermission(caller, permission))

/** An administrator cannot change another one with more permissions. @throws FORBIDDEN with the permissions that the caller lacks */
export function requireNotGreater(caller: Caller, what: string, permissions: Iterable<Permission>): void {
  const missing = [...permissions].filter((permission) => !hasPermission(caller, permission))
  if (missing.length === 0) return
  throw denied(`You cannot change ${what} with permissions that you do not hold: ${missing.sort().join(', ')}`)
}

/** Actions that change neither data nor devices. */
const readOnlyActions: readonly string[] = ['read', 'view', 'export', 'acknowledge']

/** Whether a permission allows more than reading. Granting such a permission gives access that outlives the session. */
export const allowsChanges = (permissions: Iterable<Permission>): boolean =>
  [...permissions].some((permission) => !readOnlyActions.includes(permission.split(':')[1] ?? ''))

/** Callers can grant only permissions that they hold. @throws FORBIDDEN with the missing permissions */
export function requireHeld(caller: Caller, permissions: Iterable<Permission>): void {
  const missing = [...permissions].filter((permission) => !hasPermission(caller, permission))
  if (missing.length === 0) return
  throw denied(`You cannot grant permissions that you do not hold: ${missing.sort().join(', ')}`)
}
