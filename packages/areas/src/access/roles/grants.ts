import type { Caller } from '@muster/kit/access.ts'
import { hasPermission } from '@muster/kit/access.ts'
import { denied, invalid } from '@muster/kit/errors.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { isPermission } from '../../vocabulary.contract.ts'

/** Other words that callers may use for an action; a role always shows the word on the right. */
export const synonyms = { view: 'read', create: 'write', update: 'write' } as const
const plainAction = (action: string) => (action in synonyms ? synonyms[action as keyof typeof synonyms] : action)

/** Permissions as they are stored. @throws VALIDATION_ERROR for a pair that means nothing */
export function knownPermissions(given: readonly { resource: string; action: string }[]): Set<Permission> {
  return new Set(
    given.map(({ resource, action }) => {
      const permission = `${resource}:${plainAction(action)}`
      if (!isPermission(permission)) throw invalid(`permissions: there is no permission ${resource}:${action}`)
      return permission
    }),
  )
}

/** Does the caller hold all of these itself? */
export const holdsAll = (caller: Caller, permissions: Iterable<Permission>): boolean =>
  [...permissions].every((permission) => hasPermission(caller, permission))

/** A lesser administrator does not change a greater one. @throws FORBIDDEN naming the permissions that the caller lacks */
export function requireNotGreater(caller: Caller, what: string, permissions: Iterable<Permission>): void {
  const missing = [...permissions].filter((permission) => !hasPermission(caller, permission))
  if (missing.length === 0) return
  throw denied(`You cannot change ${what} with permissions that you do not hold: ${missing.sort().join(', ')}`)
}

/** Actions that change nothing and nobody's machine. */
const looking: readonly string[] = ['read', 'view', 'export', 'acknowledge']

/** Do these allow more than looking? Whoever hands them out makes power that outlives the own session. */
export const grantsPower = (permissions: Iterable<Permission>): boolean =>
  [...permissions].some((permission) => !looking.includes(permission.split(':')[1] ?? ''))

/** Nobody can grant what they do not hold themselves. */
export function requireHeld(caller: Caller, permissions: Iterable<Permission>): void {
  const missing = [...permissions].filter((permission) => !hasPermission(caller, permission))
  if (missing.length === 0) return
  throw denied(`You cannot grant permissions that you do not hold: ${missing.sort().join(', ')}`)
}
