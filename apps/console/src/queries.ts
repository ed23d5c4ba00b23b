import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type Choose, nameOf, question, statusOf } from './api.ts'
import { type Paged, readAll } from './readAll.ts'
import { useScopeKey } from './session/session.tsx'

interface Options {
  readonly enabled?: boolean
  /** Shows the answer to the question before, while a page, sorting or search changes. */
  readonly keepLast?: boolean
  readonly staleMs?: number
  /** Refreshes at this interval; 0 never does. */
  readonly everyMs?: number
}

/** Asks the server something: `useApiQuery((api) => api.tenancy.sites.get, { id })`. */
export function useApiQuery<In, Out>(choose: Choose<In, Out>, input: In, options: Options = {}) {
  const { enabled = true, keepLast = false, staleMs = 5_000, everyMs = 0 } = options
  return useQuery({
    ...question(useScopeKey(), choose, input),
    enabled,
    staleTime: staleMs,
    refetchInterval: everyMs > 0 && everyMs,
    ...(keepLast && { placeholderData: keepPreviousData }),
  })
}

/** Asks for the whole of a list that is answered in pages, for choices of which none may be missing. */
export function useFullList<In, Item>(
  choose: Choose<In, Paged<Item>>,
  input: In & object,
  { enabled = true, staleMs = 5_000 }: Pick<Options, 'enabled' | 'staleMs'> = {},
) {
  return useQuery({
    queryKey: [useScopeKey(), nameOf(choose), 'every', input],
    queryFn: ({ signal }) => readAll(choose, input, { api, signal }),
    enabled,
    staleTime: staleMs,
  })
}

/** Refreshes queries by the beginning of their names, such as `tenancy.sites`. */
export function useRefresh(): (...names: string[]) => Promise<void> {
  const queries = useQueryClient()
  const scope = useScopeKey()
  return (...names) => refresh(queries, scope, names)
}

/** Refreshes queries by the beginning of their names, in one scope. */
export const refresh = (queries: QueryClient, scope: string, names: readonly string[]) =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [of, name] }) =>
      of === scope && typeof name === 'string' && names.some((start) => name === start || name.startsWith(`${start}.`)),
  })

/**
 * Changes something: `useApiMutation((input) => api.tenancy.sites.create.mutate(input), { refresh: ['tenancy.sites'] })`.
 * Refusals are shown by the form or the confirmation that started it.
 */
export function useApiMutation<In, Out>(
  act: (input: In) => Promise<Out>,
  options: { readonly refresh?: readonly string[]; readonly done?: (out: Out, given: In) => void } = {},
) {
  const again = useRefresh()
  return useMutation({
    mutationFn: act,
    async onSuccess(out, given) {
      await again(...(options.refresh ?? []))
      options.done?.(out, given)
    },
  })
}

/** Refusals are final; everything else is tried again. */
export const worthRetrying = (failures: number, error: unknown): boolean => {
  const status = statusOf(error)
  return failures < 2 && (status === undefined || status >= 500)
}
