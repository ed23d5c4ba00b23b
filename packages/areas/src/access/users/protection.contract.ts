import { id, personCan, post, success } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tenantInput } from '../../tenancy/tenancy/tenant.contract.ts'

const member = z.object({ id: id(), ...tenantInput })
/** How many sessions and API keys came to an end. */
const ended = success.extend({ sessions: z.number(), apiKeys: z.number() })

export const protection = {
  endSessions: post('/users/:id/end-sessions', {
    summary: 'Sign a member out everywhere in the partner or organisation',
    access: personCan('users:write'),
    audit: 'user.session.revoke',
    stepUp: 'always',
    transaction: 'own',
    input: member,
    output: success.extend({ sessions: z.number() }),
  }),
  resetMfa: post('/users/:id/reset-mfa', {
    summary: 'Take all second factors from a member who has lost them; ends its sessions and API keys',
    access: personCan('users:write'),
    audit: 'auth.mfa.reset',
    stepUp: 'always',
    transaction: 'own',
    input: member,
    output: ended,
  }),
  resetPassword: post('/users/:id/reset-password', {
    summary: "Make a member's password worthless and mail a link to choose another; ends its sessions and API keys",
    access: personCan('users:write'),
    audit: 'user.password.reset',
    stepUp: 'always',
    transaction: 'own',
    input: member,
    /** The link is there only without a mail server, and only this once: for the administrator to hand over. */
    output: ended.extend({ resetUrl: z.string().optional() }),
  }),
}
