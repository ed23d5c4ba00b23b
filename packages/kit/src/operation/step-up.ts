// The step of `run` at which a caller proves again who it is. The proof is taken off the input before anything else sees it.
import { z } from 'zod'
import type { Caller } from '../access.ts'
import type { Operation, Request, Runtime } from '../call.ts'
import type { AnyEndpoint } from '../contract.ts'
import { invariant } from '../errors.ts'
import { plainWords } from '../schema/plain-words.rules.ts'
import { Proof, type Proved, proofFields, takesProof } from '../schema/proof.ts'
import { inputError } from './input.ts'

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

/**
 * Splits what was sent into the proof and the rest. A field that the operation's own schema names stays in the rest, too.
 * @throws VALIDATION_ERROR naming the field
 */
export function takeProof({ input, stepUp }: AnyEndpoint, given: unknown): { proof: Proof; rest: unknown } {
  if (!takesProof(stepUp) || !isObject(given)) return { proof: {}, rest: given }
  const parsed = Proof.safeParse(given, { error: plainWords })
  if (!parsed.success) throw inputError(parsed.error)
  const own: object = input instanceof z.ZodObject ? input.shape : {}
  const rest = Object.entries(given).filter(([name]) => !Object.hasOwn(proofFields, name) || Object.hasOwn(own, name))
  return { proof: parsed.data, rest: Object.fromEntries(rest) }
}

/** The proof of one call: checked once, by `run` or when the handler asks for it. */
export function stepUpOf<Db, Services>(
  operation: Operation<Db, Services>,
  caller: Caller | null,
  proof: Proof,
  request: Request,
  runtime: Runtime<Db, Services>,
): () => Promise<Proved> {
  let proved: Promise<Proved> | undefined
  return () => {
    invariant(takesProof(operation.endpoint.stepUp), `${operation.id} asks for a proof but does not declare stepUp`)
    invariant(caller !== null, `${operation.id} asks for a proof but has no caller`)
    proved ??= runtime.stepUp(operation, caller, proof, request)
    return proved
  }
}
