import { id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const userStatus = z.enum(['active', 'invited', 'disabled'])

/** A member of a partner or an organization, as that tenant sees the account. */
export const User = z.object({
  id: id(),
  email: z.string(),
  name: z.string(),
  status: userStatus,
  avatarUrl: z.string().nullable(),
  scope: z.enum(['partner', 'organization']),
  partnerId: id(),
  orgId: id().nullable(),
  roleId: id(),
  roleName: z.string(),
  /** Which organizations a partner member reaches. Null for organization members. */
  orgAccess: z.enum(['all', 'selected', 'none']).nullable(),
  orgIds: z.array(id()).nullable(),
  /** Limits of an organization member. Null means no limit. */
  siteIds: z.array(id()).nullable(),
  deviceGroupIds: z.array(id()).nullable(),
  mfaEnabled: z.boolean(),
  lastLoginAt: time().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type User = z.infer<typeof User>
