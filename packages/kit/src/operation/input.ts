// Validates the input of a call against its declaration and formats the errors.
import type { z } from 'zod'
import { unfitInput } from '../body/storable.ts'
import type { Operation } from '../call.ts'
import { type AnyEndpoint, noUpdates } from '../contract.ts'
import { AppError, invalid } from '../errors.ts'
import { plainWords } from '../schema/plain-words.rules.ts'

/** Turns schema errors into one error: the first problem is the message, and all are listed. */
export function inputError(error: z.core.$ZodError): AppError {
  const issues = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const [first] = issues
  const namesItsPlace = first === undefined || first.path === '' || error.issues[0]?.code === 'unrecognized_keys'
  const message = namesItsPlace ? (first?.message ?? 'Invalid input') : `${first.path}: ${first.message}`
  return invalid(message, { issues: issues.slice(0, 20) })
}

/** @throws VALIDATION_ERROR with the field */
export function parseInput(endpoint: AnyEndpoint, given: unknown): unknown {
  const unfit = unfitInput(given)
  if (unfit !== null) throw invalid(unfit)
  const parsed = endpoint.input.safeParse(given, { error: plainWords })
  if (!parsed.success) throw inputError(parsed.error)
  return parsed.data
}

/**
 * The parsed input. An update without a change is rejected only after the object was looked up, so that an unknown object is
 * always 404.
 */
export async function parsed(
  { endpoint, reader }: Pick<Operation<never, never>, 'endpoint' | 'reader'>,
  given: unknown,
  look: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return parseInput(endpoint, given)
  } catch (error) {
    if (reader !== null && error instanceof AppError && error.message === noUpdates) await look()
    throw error
  }
}
