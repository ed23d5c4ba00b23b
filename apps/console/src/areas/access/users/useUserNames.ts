import { useMemo } from 'react'
import { useFullList } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'

const staleMs = 60_000

/**
 * Names users by their ids, as far as the signed-in user can see them.
 * @param orgId also its users, for providers
 */
export function useUserNames(orgId?: string): (id: string | null) => string {
  const { id: own, scope } = useMe()
  const mayRead = useCan()('users:read')
  const colleagues = useFullList((api) => api.users.users.list, {}, { enabled: mayRead && scope !== 'system', staleMs })
  const isProvider = scope !== 'organization' && orgId !== undefined
  const customers = useFullList(
    (api) => api.users.users.list,
    { ...(orgId && { orgId }) },
    { enabled: mayRead && isProvider, staleMs },
  )
  return useMemo(() => {
    const known = [...(colleagues.data ?? []), ...((isProvider && customers.data) || [])]
    const names = new Map(known.map(({ id, name }) => [id, name]))
    return (id) => (id === null ? 'Muster' : id === own ? 'You' : (names.get(id) ?? 'Another user'))
  }, [colleagues.data, customers.data, isProvider, own])
}
