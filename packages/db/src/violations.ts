// Converts failed statements to errors for the caller. Only this file uses the names of constraints.
import { AppError, conflict, invalid, unavailable } from '@muster/kit/errors.ts'
import { NoResultError } from 'kysely'
import { takenWords, things } from './constraint-words.ts'

interface Violation {
  readonly code: string
  readonly constraint: string
  /** The table with the constraint. */
  readonly table: string
  readonly text: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function violationOf(error: unknown): Violation | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  const constraint = 'constraint' in error ? textOf(error.constraint) : ''
  return { code: error.code, constraint, table: 'table' in error ? textOf(error.table) : '', text: error.message }
}

/** A partition has the name of its table with a suffix. */
const thingOf = (table: string): string | null =>
  things[table] ?? Object.entries(things).find(([name]) => table.startsWith(`${name}_`))?.[1] ?? null

const capital = (words: string) => words.slice(0, 1).toUpperCase() + words.slice(1)

/** The tables in a message of the server, in any language. */
const tablesIn = (text: string): string[] => (text.match(/\w+/g) ?? []).filter((word) => things[word] !== undefined)

/**
 * A row that refers to another could not be written because the other does not exist, or the other could not be deleted
 * because of the row. The server's message names both tables only in the second case; in the first the detail does.
 */
function referenceWords({ table, text }: Violation, detail: string): string | null {
  const holder = thingOf(table)
  const [used = null, ...rest] = tablesIn(text)
  const isStillUsed = used !== null && (used !== table || rest.includes(table))
  if (isStillUsed) return holder === null ? null : `The ${thingOf(used)} is still in use: a ${holder} refers to it`
  const missing = tablesIn(detail).at(-1)
  const thing = missing === undefined ? null : thingOf(missing)
  return thing === null ? null : `The ${thing} was deleted at the same time or does not exist`
}

const detailOf = (error: unknown): string => (error instanceof Error && 'detail' in error ? textOf(error.detail) : '')

/** Whether two transactions conflicted, so a retry can succeed. */
export const canRetry = (error: unknown): boolean => {
  const code = violationOf(error)?.code
  return code === '40001' || code === '40P01'
}

/**
 * The error for a failed statement: 404 and 409 if another request was faster, 400 if a value violates a rule. Null if
 * the failure is not a violation, or one that no request can cause.
 */
export function refusalOf(error: unknown): AppError | null {
  // The row existed a moment ago, when the request read it.
  if (error instanceof NoResultError)
    return new AppError('CONFLICT', 'Another request changed or deleted this at the same time. Try again', {}, error)
  const violation = violationOf(error)
  if (violation === null) return null
  const { code, constraint, table } = violation
  switch (code) {
    case '23503':
    case '23001': {
      const words = referenceWords(violation, detailOf(error))
      return words === null ? null : conflict(words)
    }
    case '23505': {
      const words = takenWords[constraint]
      if (words !== undefined) return new AppError('CONFLICT', words.message, { field: words.field }, error)
      const thing = thingOf(table)
      return thing === null ? null : conflict(`${capital(thing)} exists already`)
    }
    case '23514': {
      const thing = thingOf(table)
      return thing === null ? null : invalid(`A value breaks the rule ${constraint} of the ${thing}`)
    }
    case '40001':
    case '40P01':
      return unavailable('Other requests change the same things at the moment. Try again shortly', 1, error)
    default:
      // A value that passed its schema but cannot be stored: a NUL in text, or a year out of range.
      return code.startsWith('22') && code.length === 5
        ? new AppError('VALIDATION_ERROR', 'The input contains a value that cannot be stored', {}, error)
        : null
  }
}
