import { id, personCan, post, success } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tenantInput } from '../../../tenancy/tenancy/tenant.contract.ts'

const member = z.object({ id: id(), ...tenantInput })
/** The number of sessions and API keys that were ended. */
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
    /** Present only without a mail server and only in this response: a link that the administrator passes on. */
    output: ended.extend({ resetUrl: z.string().optional() }),
  }),
}
