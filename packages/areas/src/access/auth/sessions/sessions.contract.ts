import { auditedWhen, del, get, id, noStepUp, people, post, signedIn, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Tokens } from '../sign-in/session.contract.ts'

const own = signedIn({ kinds: people, beforeActive: true })

/** One signed-in browser or program. */
export const Session = z.object({
  id: id(),
  /** Whether it is the session of the request. */
  current: z.boolean(),
  method: z.enum(['password', 'totp', 'sms', 'recovery', 'passkey', 'sso', 'operator']),
  mfa: z.boolean(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: time(),
  authenticatedAt: time(),
  lastUsedAt: time(),
  /** When it ends unless it is used before. */
  expiresAt: time(),
  /** When it ends at the latest. */
  endsAt: time(),
})

/** A tenant that the user is a member of. */
export const Membership = z.object({
  scope: z.enum(['system', 'partner', 'organization']),
  partnerId: id().nullable(),
  partnerName: z.string().nullable(),
  orgId: id().nullable(),
  orgName: z.string().nullable(),
  roleName: z.string(),
  /** Whether the session acts in this tenant. */
  current: z.boolean(),
})

export const sessions = {
  list: get('/auth/sessions', {
    summary: 'List your active sessions',
    access: own,
    input: z.object({}),
    output: z.object({ data: z.array(Session) }),
  }),
  revoke: del('/auth/sessions/:id', {
    summary: 'Revoke one of your sessions',
    access: own,
    audit: 'user.session.revoke',
    stepUp: 'always',
    input: z.object({ id: id() }),
    output: success,
    transaction: 'own',
  }),
  revokeOthers: del('/auth/sessions', {
    summary: 'Revoke all of your other sessions, and your API keys unless `keepApiKeys` is true',
    access: own,
    audit: 'user.session.revoke',
    stepUp: 'always',
    inputIn: 'body',
    input: z.object({ keepApiKeys: z.boolean().default(false) }),
    output: success.extend({ ended: z.number() }),
    transaction: 'own',
  }),
  confirm: post('/auth/confirm', {
    summary: 'Confirm your identity again. The session counts as a recent sign-in for 30 minutes',
    access: signedIn({ kinds: people, beforeMfa: true, beforeActive: true }),
    audit: auditedWhen('the session was not fresh', 'user.step_up'),
    stepUp: 'always',
    input: z.object({}),
    output: success,
    transaction: 'own',
  }),
  memberships: get('/auth/memberships', {
    summary: 'List the partners and organizations that you belong to',
    access: signedIn({ kinds: people, beforeMfa: true, beforeActive: true }),
    input: z.object({}),
    output: z.object({ data: z.array(Membership) }),
    transaction: 'own',
  }),
  switch: post('/auth/switch', {
    summary: 'Switch to another partner or organization that you belong to',
    access: signedIn({ kinds: people, beforeMfa: true, beforeActive: true }),
    audit: 'user.session.switch',
    stepUp: noStepUp('the new token belongs to the same session'),
    unrepeatable: 'the response is a session, which a second response must not share',
    input: z
      .object({
        scope: z.enum(['system', 'partner', 'organization']),
        partnerId: id().nullable().default(null),
        orgId: id().nullable().default(null),
      })
      .refine(({ scope, partnerId }) => scope !== 'partner' || partnerId !== null, {
        path: ['partnerId'],
        error: 'is required to switch to a partner',
      })
      .refine(({ scope, orgId }) => scope !== 'organization' || orgId !== null, {
        path: ['orgId'],
        error: 'is required to switch to an organization',
      }),
    output: Tokens.omit({ refreshToken: true, mfaRequired: true, emailVerificationRequired: true }),
    transaction: 'own',
  }),
}
