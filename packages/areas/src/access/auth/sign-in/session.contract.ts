import { anyone, auditedWhen, get, id, people, post, signedIn, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

const Scope = z.enum(['system', 'partner', 'organization'])

/** The signed-in person, as far as it is its own business. */
export const Me = z.object({
  id: id(),
  email: z.string(),
  name: z.string(),
  avatarUrl: z.string().nullable(),
  status: z.enum(['active', 'invited', 'disabled']),
  scope: Scope,
  partnerId: id().nullable(),
  orgId: id().nullable(),
  orgAccess: z.enum(['all', 'selected', 'none']).nullable(),
  accessibleOrgIds: z.array(id()).nullable(),
  roleId: id().nullable(),
  permissions: z.array(z.string()),
  emailVerified: z.boolean(),
  mfaEnabled: z.boolean(),
  mfaMethod: z.enum(['totp', 'sms']).nullable(),
  /** The role or organisation wants a second factor that this sign-in lacks; most operations answer 428 until then. */
  mfaEnrollmentRequired: z.boolean(),
  recoveryCodesLeft: z.number(),
  passkeys: z.number(),
  phoneNumber: z.string().nullable(),
  phoneVerified: z.boolean(),
  lastLoginAt: time().nullable(),
  passwordChangedAt: time().nullable(),
  createdAt: time(),
})

export const Tokens = z.object({
  mfaRequired: z.literal(false),
  /** The address is not proven: the session can only prove it, everything else answers 403 `EMAIL_NOT_VERIFIED`. */
  emailVerificationRequired: z.boolean(),
  mfaEnrollmentRequired: z.boolean(),
  accessToken: z.string(),
  refreshToken: z.string(),
  /** Seconds until the access token ends. */
  expiresIn: z.number(),
  user: z.object({
    id: id(),
    email: z.string(),
    name: z.string(),
    scope: Scope,
    partnerId: id().nullable(),
    orgId: id().nullable(),
  }),
})
export type Tokens = z.infer<typeof Tokens>

/** The password was right; a second factor is still to come. */
export const MfaChallenge = z.object({
  mfaRequired: z.literal(true),
  tempToken: z.string(),
  /** Seconds until the token ends. */
  expiresIn: z.number(),
  /** What the person can answer with. */
  methods: z.array(z.enum(['totp', 'sms', 'passkey', 'recovery'])),
  /** The end of the phone number that a code would go to. */
  phoneEnding: z.string().nullable(),
  /** Options for `navigator.credentials.get`, where the person has passkeys. */
  passkeyOptions: z.looseObject({ challenge: z.string() }).nullable(),
})
export type MfaChallenge = z.infer<typeof MfaChallenge>

export const session = {
  login: post('/auth/login', {
    summary: 'Sign in with email and password',
    access: anyone,
    audit: ['user.login', 'user.login.failed'],
    input: z.object({ email: z.string().trim().min(1).max(255), password: z.string().min(1).max(1024) }),
    output: z.discriminatedUnion('mfaRequired', [Tokens, MfaChallenge]),
    transaction: 'own',
  }),
  refresh: post('/auth/refresh', {
    summary: 'Exchange a refresh token for new tokens',
    access: anyone,
    audit: auditedWhen('an exchanged token comes back', 'auth.refresh.reuse'),
    input: z.object({ refreshToken: z.string().min(1).max(512).optional() }),
    output: Tokens,
    transaction: 'own',
  }),
  logout: post('/auth/logout', {
    summary: 'Sign out of all sessions',
    access: signedIn({ kinds: people, beforeVerified: true, beforeMfa: true, beforeActive: true }),
    audit: 'user.logout',
    /** `everywhere: false` ends the session of the request alone. */
    input: z.object({ everywhere: z.boolean().default(true) }),
    output: success,
    transaction: 'own',
  }),
  me: get('/auth/me', {
    summary: 'Get the signed-in user',
    access: signedIn({ kinds: people, beforeMfa: true, beforeActive: true }),
    input: z.object({}),
    output: Me,
  }),
}
