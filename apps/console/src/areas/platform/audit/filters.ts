import type { AuditLog } from '@muster/areas/platform/audit/logs.contract.ts'

/** What narrows the log, as the address has it. */
export interface AuditSearch {
  readonly q?: string | undefined
  readonly result?: AuditLog['result'] | undefined
  readonly actor?: AuditLog['actorType'] | undefined
  readonly action?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly org?: string | undefined
}

/** A day as people choose it, from its first moment or to its last, where the browser is. */
const momentOf = (day: string, time: string) => {
  const at = new Date(`${day}T${time}`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** What the server is asked, for the list and for the file alike. */
export function filtersOf({ result, actor, action, from, to, org }: AuditSearch) {
  const since = from && momentOf(from, '00:00:00')
  const until = to && momentOf(to, '23:59:59.999')
  return {
    ...(result && { result }),
    ...(actor && { actorType: actor }),
    ...(action && { action }),
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
  ['user', 'People'],
  ['api-key', 'API keys'],
  ['agent', 'Agents'],
  ['system', 'The service itself'],
  ['anonymous', 'Strangers'],
] as const
