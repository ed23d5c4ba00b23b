import { id, personCan, post, success } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tenantInput } from '../../tenancy/tenancy/tenant.contract.ts'

const member = z.object({ id: id(), ...tenantInput })
/** How many sessions and API keys came to an end. */
const ended = success.extend({ sessions: z.number(), apiKeys: z.number() })

export const protection = {
  endSessions: post('/users/:id/end-sessions', {
    summary: 'End all sessions of a member in the partner or organization',
    access: personCan('users:write'),
    audit: 'user.session.revoke',
    stepUp: 'always',
    transaction: 'own',
    input: member,
    output: success.extend({ sessions: z.number() }),
  }),
  resetMfa: post('/users/:id/reset-mfa', {
    summary: 'Reset the second factors of a member who has lost them. Ends sessions and revokes API keys',
    access: personCan('users:write'),
    audit: 'auth.mfa.reset',
    stepUp: 'always',
    transaction: 'own',
    input: member,
    output: ended,
  }),
  resetPassword: post('/users/:id/reset-password', {
    summary: 'Force a password reset by email. Ends sessions and revokes API keys',
    access: personCan('users:write'),
    audit: 'user.password.reset',
    stepUp: 'always',
    transaction: 'own',
    input: member,
    /** The link is there only without a mail server, and only this once: for the administrator to hand over. */
    output: ended.extend({ resetUrl: z.string().optional() }),
  }),
}
