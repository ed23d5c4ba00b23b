import { useQueries } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useScopeKey } from '../session/session.tsx'
import { useInbox } from './areas.ts'

const everyMs = 30_000

/** How much of each kind waits for the signed-in user. */
export function useWaiting() {
  const scope = useScopeKey()
  const entries = useInbox()
  const counts = useQueries({
    queries: entries.map(({ operation, count }) => ({
      queryKey: [scope, operation, 'waiting'],
      queryFn: () => count(api),
      refetchInterval: everyMs,
      staleTime: everyMs / 2,
    })),
  })
  return entries.map((entry, index) => ({ ...entry, waiting: counts[index]?.data ?? 0 }))
}

/** The same by path, for the navigation. */
export function useWaitingAt(): (path: string) => number {
  const entries = useWaiting()
  return (wanted) => entries.reduce((sum, { path, waiting }) => sum + (path === wanted ? waiting : 0), 0)
}
