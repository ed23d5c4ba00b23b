import { z } from 'zod'
import { isApiError } from '../../api.ts'

const Issues = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) })
export type Issue = z.infer<typeof Issues>['issues'][number]

/** What the server said of single fields. Paths are as in the request, such as `rules.0.key`. */
export const issuesOf = (error: unknown): readonly Issue[] =>
  (isApiError(error) && Issues.safeParse(error.data).data?.issues) || []

const isAt = ({ path }: Issue, field: string) => path === field || path.startsWith(`${field}.`)

/** What is wrong with a field, or with something in it; undefined when nothing is. */
export const faultAt = (issues: readonly Issue[], ...fields: readonly string[]): string | undefined =>
  issues.find((issue) => fields.some((field) => isAt(issue, field)))?.message

/** The issues of a part of the request, with their paths within it. */
export const issuesIn = (issues: readonly Issue[], part: string): readonly Issue[] =>
  issues.flatMap((issue) => (isAt(issue, part) ? [{ ...issue, path: issue.path.slice(part.length + 1) }] : []))

/** What the form says at its end: the error, or that it is shown above, at fields that are all among those given. */
export function errorBeside(error: unknown, issues: readonly Issue[], fields: readonly string[]): unknown {
  const isShown = issues.length > 0 && issues.every((issue) => fields.some((field) => isAt(issue, field)))
  return isShown ? new Error('Correct the marked fields') : error
}
