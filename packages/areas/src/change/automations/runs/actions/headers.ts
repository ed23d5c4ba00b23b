// The values of headers are secret: sealed in the stored actions, and shown as ***.
import { invalid } from '@muster/kit/errors.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'
import type { Action } from './actions.contract.ts'

type Headers = Readonly<Record<string, string>>

const hidden = '***'
const purpose = (automationId: string, name: string) => `automation ${automationId} header ${name.toLowerCase()}`

const mapped = (headers: Headers, change: (value: string, name: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value, name)]))

export const openHeaders = (keyring: Keyring, automationId: string, headers: Headers): Record<string, string> =>
  mapped(headers, (value, name) => unseal(keyring, value, purpose(automationId, name)))

/** Actions as answers show them. */
export const hideHeaders = (actions: readonly Action[]): Action[] =>
  actions.map((action) =>
    action.type === 'webhook' && action.headers !== undefined
      ? { ...action, headers: mapped(action.headers, () => hidden) }
      : action,
  )

const originOf = (url: string): string => /^https?:\/\/[^/?#]+/.exec(url)?.[0].toLowerCase() ?? ''

/**
 * Actions as they are stored. *** takes the stored value of the header, of an action for the same server.
 * @throws VALIDATION_ERROR where there is none
 */
export function sealHeaders(
  keyring: Keyring,
  automationId: string,
  given: readonly Action[],
  stored: readonly Action[],
): Action[] {
  const known = new Map<string, string>()
  for (const action of stored)
    if (action.type === 'webhook')
      for (const [name, value] of Object.entries(action.headers ?? {}))
        known.set(`${originOf(action.url)} ${name.toLowerCase()}`, value)
  return given.map((action, index) => {
    if (action.type !== 'webhook' || action.headers === undefined) return action
    const headers = mapped(action.headers, (value, name) => {
      if (value !== hidden) return seal(keyring, value, purpose(automationId, name))
      const before = known.get(`${originOf(action.url)} ${name.toLowerCase()}`)
      if (before === undefined) throw invalid(`actions.${index}.headers: the value of ${name} is required`)
      return before
    })
    return { ...action, headers }
  })
}
