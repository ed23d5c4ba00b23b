// Binds the vocabulary of kit to Muster's database and services, so that areas write neither type twice.
import type { Db } from '@muster/db/database.ts'
import {
  type Call as AnyCall,
  type Handlers as AnyHandlers,
  type Operation as AnyOperation,
  implementation,
} from '@muster/kit/call.ts'
import type { AnyEndpoint, Resource } from '@muster/kit/contract.ts'
import { z } from 'zod'
import type { Services } from './services.ts'
import { requireOrganizationsInReach } from './tenancy/tenancy/index.ts'

export type Call<In = unknown> = AnyCall<In, Db, Services>
export type Operation = AnyOperation<Db, Services>

/** Lists and other reads that take an organization as a filter: they name nothing in their path. */
const filtersByOrganization = ({ kind, path, input, access }: AnyEndpoint): boolean =>
  (kind === 'query' || kind === 'raw') &&
  access.who !== 'public' &&
  !path.includes('/:') &&
  input instanceof z.ZodObject &&
  filterNames.some((name) => name in input.shape)

const filterNames = ['orgId', 'organizationId', 'orgIds'] as const

/** The organizations that the input names as a filter. */
const namedIn = (input: unknown): string[] =>
  filterNames.flatMap((name) => Object(input)[name] ?? []).filter((id) => typeof id === 'string')

type Handler = (call: Call) => unknown

/** Has the filter judged beside the work that it is for, so that both questions leave in one message. */
const judged =
  (handle: Handler): Handler =>
  async (call) => {
    const inReach = requireOrganizationsInReach(call.db, call.caller, namedIn(call.input))
    const work = Promise.resolve(handle(call))
    // The rejection comes first, regardless of the result of the work.
    work.catch(() => {})
    await inReach
    return work
  }

/**
 * Pairs the declarations of a resource with their handlers; a missing or misnamed handler does not compile. One rule holds
 * for every read that is filtered by `orgId` or `orgIds`: an organization out of reach is refused, not answered with nothing.
 */
export function implement<R extends Resource>(contract: R, handlers: AnyHandlers<R, Db, Services>) {
  const made = implementation(contract, handlers)
  const guarded = Object.entries(made.handlers).map(([name, handle]) => {
    const endpoint = contract[name]
    return [name, endpoint !== undefined && filtersByOrganization(endpoint) ? judged(handle) : handle] as const
  })
  return { ...made, handlers: Object.fromEntries(guarded) }
}
