import { useMemo } from 'react'
import { useApiQuery, useFullList } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'

const namesOf = (list: readonly { id: string; name: string }[] | undefined) =>
  new Map(list?.map(({ id, name }) => [id, name]))

/** A name with its organization, which tells those of two customers apart. */
export const nameIn = (orgs: ReadonlyMap<string, string>, { name, orgId }: { name: string; orgId: string | null }) => {
  const org = orgId === null ? undefined : orgs.get(orgId)
  return org === undefined ? name : `${name} · ${org}`
}

/** Names of the organizations and sites that the user can see. */
export function usePlaceNames() {
  const can = useCan()
  const mayOrgs = can('organizations:read')
  const orgs = useApiQuery((api) => api.tenancy.organizations.all, {}, { enabled: mayOrgs, staleMs: 60_000 }).data?.data
  const sites = useFullList((api) => api.tenancy.sites.list, {}, { enabled: can('sites:read'), staleMs: 60_000 }).data
  return useMemo(() => ({ orgs: namesOf(orgs), sites: namesOf(sites) }), [orgs, sites])
}
