import { useState } from 'react'
import { type Person, useMe } from '../../../../session/session.tsx'
import { usePlace } from '../../../../shell/place.ts'

/** Whether something of the user can belong to the whole partner. */
export const mayOwnAll = ({ scope, orgAccess }: Person): boolean => scope === 'partner' && orgAccess === 'all'

/**
 * To whom something belongs that is created or edited: at first the organization of the place. Null is the whole partner.
 * @param stored what is edited. Its owner does not change.
 * @param usual the owner where the place has no organization
 */
export function useOwner(stored: { readonly orgId: string | null } | undefined, usual: string | null = null) {
  const me = useMe()
  const { org } = usePlace()
  const [orgId, choose] = useState(stored ? stored.orgId : (org ?? usual ?? me.orgId))
  const isFixed = stored !== undefined
  const isMissing = orgId === null && !isFixed && !mayOwnAll(me)
  return { orgId, isFixed, choose, fault: isMissing ? 'Select an organization' : undefined }
}
