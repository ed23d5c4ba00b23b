import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Choose } from '../../api.ts'
import { useApiQuery } from '../../queries.ts'

interface Pagination {
  readonly page: number
  readonly limit: number
  readonly total: number
}
interface Answer {
  readonly isPending: boolean
  readonly error: unknown
  refetch(): unknown
}

/** The rows of a list with the state of its request, as `ListPage` and `ListTable` show them. */
export interface List<Row> {
  readonly rows: readonly Row[]
  readonly answer: Answer
  readonly total: number
  /** Absent for lists that have one page only. */
  readonly pages?: Pagination & { set(page: number): void }
}

interface Options {
  readonly limit?: number
  readonly everyMs?: number
  readonly enabled?: boolean
}

/** One page of a list: `useList((api) => api.tenancy.sites.list, { orgId })`. The page number is in the address. */
export function useList<In, Row>(
  choose: Choose<In, { readonly data: readonly Row[]; readonly pagination: Pagination }>,
  filters: In & object,
  { limit = 50, ...options }: Options = {},
): List<Row> {
  const { page = 1 } = useSearch({ strict: false })
  const navigate = useNavigate()
  const answer = useApiQuery(choose, { ...filters, page, limit }, { keepLast: true, ...options })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const set = (next: number) =>
    void navigate({ to: '.', search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })
  return { rows, answer, total: pagination.total, pages: { ...pagination, set } }
}

/** A list that the server answers at once, or that the screen narrows itself. */
export const wholeList = <Row>(rows: readonly Row[], answer: Answer): List<Row> => ({
  rows,
  answer,
  total: rows.length,
})
