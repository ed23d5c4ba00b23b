import { issuesOf } from '../../../../api.ts'

/** What the server says of the fields of a request: by the path of the field, or of something in it. */
export type FaultAt = (path: string) => string | undefined

/** The faults that a refusal names, to be shown at their fields. */
export function faultsOf(error: unknown): FaultAt {
  const issues = issuesOf(error)
  return (path) => issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message
}
