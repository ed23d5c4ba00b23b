// The contract's operations beside those that Muster serves.
import { readFileSync } from 'node:fs'
import { operations } from '@muster/areas/registry.ts'
import { z } from 'zod'

const Contract = z.array(z.object({ area: z.string(), method: z.string(), path: z.string() }))
export type ContractOperation = z.infer<typeof Contract>[number]

/** All operations of the contract. */
export const contractOperations: readonly ContractOperation[] = Contract.parse(
  JSON.parse(readFileSync(new URL('endpoints.json', import.meta.url), 'utf8')),
)

const key = (method: string, path: string) => `${method} ${path}`
const served = new Set(operations.map(({ endpoint }) => key(endpoint.method, endpoint.path)))

export const isServed = ({ method, path }: ContractOperation): boolean => served.has(key(method, path))

/** One line per served operation: method, path, id, who may call it, what it writes into the audit log. */
export function routeLines(): string[] {
  return operations
    .map(({ id, endpoint: { method, path, access, audit } }) => {
      const who = access.permission ?? access.who
      const said =
        audit === null
          ? '-'
          : typeof audit === 'object' && 'unaudited' in audit
            ? `unaudited: ${audit.unaudited}`
            : typeof audit === 'object' && 'when' in audit
              ? `${audit.actions.join('|')} when ${audit.when}`
              : [audit].flat().join('|')
      return `${path} ${method} ${id} ${who} ${access.scopes.join('+')} ${said}`
    })
    .sort()
}

/** Contract operations named in the stored route list that are not served any more, or under another path. */
export function disappeared(stored: string): string[] {
  const known = new Set(contractOperations.map(({ method, path }) => key(method, path)))
  return stored
    .split('\n')
    .map((line) => line.split(' '))
    .map(([path = '', method = '']) => key(method, path))
    .filter((operation) => known.has(operation) && !served.has(operation))
}
