import type { Endpoint, Resource } from '@muster/kit/contract.ts'
import type {
  TRPCBuiltRouter,
  TRPCDefaultErrorShape,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from '@trpc/server'
import type { Contract } from './contract.ts'

interface Shape<Wire, Out> {
  meta: unknown
  input: Wire
  output: Out
}
type Procedure<E> =
  E extends Endpoint<infer K, infer Wire, infer _In, infer Out>
    ? K extends 'query'
      ? TRPCQueryProcedure<Shape<Wire, Out>>
      : K extends 'mutation'
        ? TRPCMutationProcedure<Shape<Wire, Out>>
        : TRPCSubscriptionProcedure<Shape<Wire, AsyncIterable<Out>>>
    : never
type RawNames<R extends Resource> = {
  [Name in keyof R]: R[Name] extends Endpoint<'raw', infer _W, infer _I, infer _O> ? Name : never
}[keyof R]
type RouterOf<R extends Resource> = { [Name in Exclude<keyof R, RawNames<R>>]: Procedure<R[Name]> }
type AreaOf<A extends Readonly<Record<string, Resource>>> = { [Name in keyof A]: RouterOf<A[Name]> }

interface ErrorShape extends TRPCDefaultErrorShape {
  data: TRPCDefaultErrorShape['data'] & { appCode: string }
}
interface Root {
  ctx: object
  meta: object
  errorShape: ErrorShape
  transformer: false
}

/** The type of the tRPC router, derived from the declarations, so that clients do not load server code to type-check. */
export type AppRouter = TRPCBuiltRouter<Root, { [Name in keyof Contract]: AreaOf<Contract[Name]> }>
