import { useNavigate, useSearch } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useFullList } from '../queries.ts'
import { useMe } from '../session/session.tsx'
import { Select } from '../ui/form/Select.tsx'
import { Note } from '../ui/page/states.tsx'
import { usePlace } from './place.ts'

/** The tenant whose users, roles or reviews a screen shows: the organization of the place, else the partner. */
export interface Tenant {
  readonly kind: 'partner' | 'organization'
  /** What operations receive; empty for the caller's own. */
  readonly input: { readonly partnerId?: string; readonly orgId?: string }
}

/** The tenant of the screen; null while a system user has selected neither a partner nor an organization. */
export function useTenant(): Tenant | null {
  const me = useMe()
  const { org } = usePlace()
  const { partner } = useSearch({ strict: false })
  const orgId = me.scope === 'organization' ? undefined : org
  if (orgId) return { kind: 'organization', input: { orgId } }
  if (me.scope === 'system') return partner ? { kind: 'partner', input: { partnerId: partner } } : null
  return { kind: me.scope, input: {} }
}

/** Lets system users select a partner, unless the place has an organization. */
export function PartnerChoice() {
  const me = useMe()
  const { org } = usePlace()
  const { partner } = useSearch({ strict: false })
  const navigate = useNavigate()
  const isSystem = me.scope === 'system'
  const { data } = useFullList((api) => api.tenancy.partners.list, {}, { enabled: isSystem && !org, staleMs: 60_000 })
  if (!isSystem || org) return null
  return (
    <Select
      label="Partner"
      none="Select a partner"
      value={partner}
      options={(data ?? []).map(({ id, name }) => [id, name] as const)}
      choose={(next) => void navigate({ to: '.', search: (now) => ({ ...now, partner: next, page: undefined }) })}
    />
  )
}

/** Stands in place of a list until a tenant is selected. */
export function NoTenant({ what }: { readonly what: string }) {
  return (
    <Note icon={Building2} title="Select a partner" action={<PartnerChoice />}>
      {what} belong to a partner or an organization. Select a partner here, or an organization in the header.
    </Note>
  )
}
