// What an area consists of. The lists of areas, operations and examples are read off these values.
import type { Db } from '@muster/db/database.ts'
import type { Implementation } from '@muster/kit/call.ts'
import type { Resource } from '@muster/kit/contract.ts'
import type { Example, ExamplesOf } from './examples.ts'
import type { Services } from './services.ts'

type Resources = Readonly<Record<string, Resource>>

/** One area of the service. A resource without handlers or without examples does not compile. */
export interface Area<C extends Resources = Resources> {
  /** The first part of its operations' ids. Areas that grew out of one share it. */
  readonly name: string
  readonly contract: C
  readonly handlers: { readonly [Name in keyof C]: Implementation<Db, Services> }
  /** With which the gates try every operation. */
  readonly examples: { readonly [Name in keyof C]: ExamplesOf<C[Name]> }
}

/** An area of any contract. */
export interface AnyArea {
  readonly name: string
  readonly handlers: Readonly<Record<string, Implementation<Db, Services>>>
  readonly examples: Readonly<Record<string, Readonly<Record<string, Example<unknown>>>>>
}

export const area = <C extends Resources>(declared: Area<C>): Area<C> => declared
