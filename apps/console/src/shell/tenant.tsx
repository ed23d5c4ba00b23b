import { useNavigate, useSearch } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useFullList } from '../queries.ts'
import { useMe } from '../session/session.tsx'
import { Select } from '../ui/Select.tsx'
import { Note } from '../ui/states.tsx'
import { usePlace } from './place.ts'

/** Whose people, roles or reviews a screen shows: the organisation of the place, else the partner. */
export interface Tenant {
  readonly kind: 'partner' | 'organization'
  /** What operations are told; empty for the caller's own. */
  readonly input: { readonly partnerId?: string; readonly orgId?: string }
}

/** The tenant of the screen; null while somebody of the whole system has chosen neither a partner nor an organisation. */
export function useTenant(): Tenant | null {
  const me = useMe()
  const { org } = usePlace()
  const { partner } = useSearch({ strict: false })
  const orgId = me.scope === 'organization' ? undefined : org
  if (orgId) return { kind: 'organization', input: { orgId } }
  if (me.scope === 'system') return partner ? { kind: 'partner', input: { partnerId: partner } } : null
  return { kind: me.scope, input: {} }
}

/** For people of the whole system: whose things are meant, unless the place says it. */
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
      none="Choose a partner"
      value={partner ?? ''}
      options={(data ?? []).map(({ id, name }) => [id, name] as const)}
      choose={(next) => void navigate({ to: '.', search: (now) => ({ ...now, partner: next, page: undefined }) })}
    />
  )
}

/** Stands where a list would be until it is known whose it is. */
export function NoTenant({ what }: { readonly what: string }) {
  return (
    <Note icon={Building2} title="Whose?" action={<PartnerChoice />}>
      {what} belong to a partner or an organisation. Choose a partner here, or an organisation in the top left corner.
    </Note>
  )
}
