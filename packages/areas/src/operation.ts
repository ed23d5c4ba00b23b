// Binds the vocabulary of kit to Muster's database and services, so that areas write neither type twice.
import type { Db } from '@muster/db/database.ts'
import {
  type Call as AnyCall,
  type Handlers as AnyHandlers,
  type Operation as AnyOperation,
  implementation,
} from '@muster/kit/call.ts'
import type { Resource } from '@muster/kit/contract.ts'
import type { Services } from './services.ts'

export type Call<In = unknown> = AnyCall<In, Db, Services>
export type Operation = AnyOperation<Db, Services>

/** Pairs the declarations of a resource with their handlers; a missing or misnamed handler does not compile. */
export const implement = <R extends Resource>(contract: R, handlers: AnyHandlers<R, Db, Services>) =>
  implementation(contract, handlers)
