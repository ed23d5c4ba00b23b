import type { User } from '@muster/areas/access/users/user.contract.ts'
import { useMemo } from 'react'
import { useApiQuery, useFullList } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'

interface Named {
  readonly id: string
  readonly name: string
}
export interface Recipients {
  readonly channels: readonly Named[]
  readonly users: readonly Named[]
  /** With the names of the active users who have the role and reach the organization. */
  readonly roles: readonly (Named & { readonly people: readonly string[] })[]
}
const staleMs = 60_000

const reaches = ({ scope, orgAccess, orgIds }: User, orgId: string | null): boolean =>
  orgId === null || scope === 'organization' || orgAccess === 'all' || orgIds?.includes(orgId) === true

/**
 * The channels, users and roles of a partner and one of its organizations, as far as the signed-in user sees them.
 * @param partnerId needed by system users where there is no organization
 */
export function useRecipients(orgId: string | null, partnerId?: string): Recipients {
  const tenants = useTenants(orgId, partnerId)
  const place = orgId === null ? {} : { orgId }
  const channels = useFullList((api) => api.alertChannels.channels.list, place, { staleMs }).data
  const ofPartner = useMembers(tenants.partner)
  const ofOrganization = useMembers(tenants.organization)
  return useMemo(() => {
    const users = [...ofPartner.users, ...ofOrganization.users]
    const roles = new Map([...ofPartner.roles, ...ofOrganization.roles].map((role) => [role.id, role]))
    const holders = Map.groupBy(
      users.filter((user) => user.status === 'active' && reaches(user, orgId)),
      ({ roleId }) => roleId,
    )
    return {
      channels: channels ?? [],
      users: [...new Map(users.map((user) => [user.id, user])).values()],
      roles: [...roles.values()].map(({ id, name }) => ({
        id,
        name,
        people: [...new Set(holders.get(id)?.map((user) => user.name))],
      })),
    }
  }, [channels, ofPartner, ofOrganization, orgId])
}

interface Asked {
  readonly input: { readonly partnerId?: string; readonly orgId?: string }
  readonly enabled: boolean
}

/** Whose members are asked for. Members of an organization do not see those of its partner. */
function useTenants(orgId: string | null, partnerId: string | undefined): { partner: Asked; organization: Asked } {
  const { scope } = useMe()
  const mayRead = useCan()('users:read')
  const isSystem = scope === 'system'
  const all = useApiQuery((api) => api.tenancy.organizations.all, {}, { enabled: isSystem, staleMs }).data?.data
  const found = partnerId ?? all?.find(({ id }) => id === orgId)?.partnerId
  return {
    partner: isSystem
      ? { input: found === undefined ? {} : { partnerId: found }, enabled: mayRead && found !== undefined }
      : { input: {}, enabled: mayRead && scope === 'partner' },
    organization: { input: orgId === null ? {} : { orgId }, enabled: mayRead && orgId !== null },
  }
}

function useMembers({ input, enabled }: Asked) {
  const users = useFullList((api) => api.users.users.list, input, { enabled, staleMs }).data
  const roles = useApiQuery((api) => api.roles.roles.list, input, { enabled, staleMs }).data?.data
  return useMemo(() => ({ users: users ?? [], roles: roles ?? [] }), [users, roles])
}
