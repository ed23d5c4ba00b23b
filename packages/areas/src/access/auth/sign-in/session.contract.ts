import { anyone, auditedWhen, get, id, people, post, signedIn, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

const Scope = z.enum(['system', 'partner', 'organization'])

/** The signed-in user, as shown to the user. */
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
  /** Whether the role or organization requires a second factor that this session lacks. Most operations then answer 428. */
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
  /** Whether the address is unproven. The session can then only verify it; other operations answer 403 `EMAIL_NOT_VERIFIED`. */
  emailVerificationRequired: z.boolean(),
  mfaEnrollmentRequired: z.boolean(),
  accessToken: z.string(),
  refreshToken: z.string(),
  /** Seconds until the access token expires. */
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

/** The password was right. A second factor is required to complete the sign-in. */
export const MfaChallenge = z.object({
  mfaRequired: z.literal(true),
  tempToken: z.string(),
  /** Seconds until the token expires. */
  expiresIn: z.number(),
  /** The kinds of second factor that the user can answer with. */
  methods: z.array(z.enum(['totp', 'sms', 'passkey', 'recovery'])),
  /** The last digits of the phone number that a code would be sent to. */
  phoneEnding: z.string().nullable(),
  /** Options for `navigator.credentials.get` when the user has passkeys. */
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
    audit: auditedWhen('a used refresh token is presented again', 'auth.refresh.reuse'),
    input: z.object({ refreshToken: z.string().min(1).max(512).optional() }),
    output: Tokens,
    transaction: 'own',
  }),
  logout: post('/auth/logout', {
    summary: 'Sign out of all sessions',
    access: signedIn({ kinds: people, beforeVerified: true, beforeMfa: true, beforeActive: true }),
    audit: 'user.logout',
    /** `everywhere: false` ends only the session of the request. */
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
