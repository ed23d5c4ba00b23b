import { useQueries } from '@tanstack/react-query'
import { question } from '../../../api.ts'
import { useFullList } from '../../../queries.ts'
import { useScopeKey } from '../../../session/session.tsx'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import type { Named, PlaceKind } from './targetDraft.ts'

const namedMax = 20

/** Names of what targets contain. Ids without a known name are described by their kind. */
export function useTargetNames({ groupIds, deviceIds }: Pick<Named, 'groupIds' | 'deviceIds'>) {
  const scope = useScopeKey()
  const { orgs, sites } = usePlaceNames()
  const groups = useFullList((api) => api.groups.groups.list, {}, { enabled: groupIds.length > 0, staleMs: 60_000 })
  const devices = useQueries({
    queries: deviceIds.slice(0, namedMax).map((id) => question(scope, (api) => api.devices.devices.get, { id })),
  })
  return (kind: PlaceKind, id: string): string => {
    if (kind === 'orgIds') return orgs.get(id) ?? 'An organization'
    if (kind === 'siteIds') return sites.get(id) ?? 'A site'
    if (kind === 'groupIds') return groups.data?.find((group) => group.id === id)?.name ?? 'A group'
    if (kind === 'tags') return id
    const device = devices.find(({ data }) => data?.id === id)?.data
    return device?.displayName ?? device?.hostname ?? 'A device'
  }
}
