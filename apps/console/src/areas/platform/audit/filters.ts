import type { AuditLog } from '@muster/areas/platform/audit/logs.contract.ts'

/** The filters of the log, as the address holds them. */
export interface AuditSearch {
  readonly q?: string | undefined
  readonly result?: AuditLog['result'] | undefined
  readonly actor?: AuditLog['actorType'] | undefined
  readonly action?: string | undefined
  /** The ID of a user. */
  readonly user?: string | undefined
  readonly record?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly org?: string | undefined
}

/** The first or last moment of a day in the time zone of the browser. */
const momentOf = (day: string, time: string) => {
  const at = new Date(`${day}T${time}`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** The input of the operations, for the list and for the export. */
export function filtersOf({ result, actor, action, user, from, to, org }: AuditSearch) {
  const since = from && momentOf(from, '00:00:00')
  const until = to && momentOf(to, '23:59:59.999')
  return {
    ...(result && { result }),
    ...(actor && { actorType: actor }),
    ...(action && { action }),
    ...(user && { userId: user }),
    ...(since && { from: since }),
    ...(until && { to: until }),
    ...(org && { orgId: org }),
  }
}

export const results = [
  ['success', 'Success'],
  ['failure', 'Failure'],
  ['denied', 'Denied'],
] as const
export const resultWords = new Map<AuditLog['result'], string>(results)
export const actors = [
  ['user', 'Users'],
  ['api-key', 'API keys'],
  ['agent', 'Agents'],
  ['system', 'System'],
  ['anonymous', 'Anonymous'],
] as const
export const actorWords = new Map<AuditLog['actorType'], string>(actors)

/** Search parameters without any filter. */
export const noFilters = {
  q: undefined,
  result: undefined,
  actor: undefined,
  action: undefined,
  user: undefined,
  from: undefined,
  to: undefined,
} satisfies AuditSearch
