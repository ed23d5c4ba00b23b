import { anyone, create, id, personCan, post, stepUpWhen, success } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tenantInput } from '../../../tenancy/tenancy/tenant.contract.ts'
import { User } from '../user.contract.ts'
import { membershipReach, name } from '../users.contract.ts'

/** Present only without a mail server and only in this response: a link that the inviter passes on. */
const handedLink = { inviteUrl: z.string().optional() }

export const invitations = {
  invite: create('/users/invite', {
    summary: 'Invite a user to the partner or organization by email',
    access: personCan('users:invite'),
    audit: 'user.invite',
    stepUp: stepUpWhen('the role grants administration'),
    input: z.object({
      email: z.email().trim().toLowerCase().max(255),
      name,
      roleId: id(),
      ...membershipReach,
      ...tenantInput,
    }),
    output: User.extend(handedLink),
  }),
  resendInvite: post('/users/resend-invite', {
    summary: 'Resend an invitation. The link of the earlier email stops working',
    access: personCan('users:invite'),
    audit: 'user.invite.resend',
    stepUp: stepUpWhen('the role grants administration'),
    input: z.object({ userId: id(), ...tenantInput }),
    output: success.extend(handedLink),
  }),
  acceptInvite: post('/auth/accept-invite', {
    summary: 'Accept an invitation: choose a name and password, or prove the password of the existing account',
    access: anyone,
    audit: ['user.invite.accept', 'user.email.verify'],
    transaction: 'own',
    input: z.object({
      token: z.string().min(1).max(200),
      name: name.optional(),
      password: z.string().min(1).max(1024),
    }),
    output: success.extend({ email: z.string() }),
  }),
}
