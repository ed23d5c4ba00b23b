import { changes, get, id, noStepUp, patch, people, signedIn, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { userStatus } from './user.contract.ts'
import { name } from './users.contract.ts'

/** The account of the caller. */
const Profile = z.object({
  id: id(),
  email: z.string(),
  name: z.string(),
  avatarUrl: z.string().nullable(),
  status: userStatus,
  scope: z.enum(['system', 'partner', 'organization']),
  partnerId: id().nullable(),
  orgId: id().nullable(),
  roleId: id().nullable(),
  mfaEnabled: z.boolean(),
  mfaMethod: z.enum(['totp', 'sms']).nullable(),
  phoneNumber: z.string().nullable(),
  phoneVerified: z.boolean(),
  lastLoginAt: time().nullable(),
  passwordChangedAt: time().nullable(),
  createdAt: time(),
  updatedAt: time(),
})

const avatarUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
  .max(2_048)
  .nullable()

export const profile = {
  get: get('/users/me', {
    summary: 'Get your profile',
    access: signedIn({ kinds: people }),
    input: z.object({}),
    output: Profile,
  }),
  update: patch('/users/me', {
    summary: 'Update your name or picture',
    access: signedIn({ kinds: people }),
    audit: 'user.profile.update',
    stepUp: noStepUp('name and picture grant no access'),
    input: changes({}, { name, avatarUrl }),
    output: Profile,
  }),
}
