import { anyone, noStepUp, people, post, signedIn, success, unaudited } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Tokens } from '../sign-in/session.contract.ts'

/** For users, also while they still have to enroll a second factor, which happens here. */
export const enrolling = signedIn({ kinds: people, beforeMfa: true, beforeActive: true })

const code = z.string().trim().min(4).max(20)

/** The second factor is enabled. The tokens carry it. The recovery codes are shown only in this response. */
export const Enrolled = z.object({
  mfaEnabled: z.literal(true),
  recoveryCodes: z.array(z.string()),
  accessToken: z.string(),
  expiresIn: z.number(),
})
export type Enrolled = z.infer<typeof Enrolled>

export const mfa = {
  setup: post('/auth/mfa/setup', {
    summary: 'Start enrolling an authenticator app',
    access: enrolling,
    audit: unaudited('nothing changes until the code is confirmed'),
    stepUp: 'always',
    input: z.object({}),
    output: z.object({
      secret: z.string(),
      otpAuthUrl: z.string(),
      /** A PNG as a data URL. */
      qrCodeDataUrl: z.string(),
      recoveryCodes: z.array(z.string()),
      /** Seconds until the pending enrollment expires. */
      expiresIn: z.number(),
    }),
    transaction: 'own',
  }),
  verify: post('/auth/mfa/verify', {
    summary: 'Verify a second factor to complete a sign-in or an enrollment',
    access: anyone,
    audit: ['user.login', 'user.login.failed', 'auth.mfa.setup', 'auth.mfa.verify'],
    input: z
      .object({
        code: code.optional(),
        /** The result of `navigator.credentials.get`, instead of a code. */
        passkey: z.looseObject({ id: z.string().max(2048) }).optional(),
        tempToken: z.string().min(1).max(512).optional(),
      })
      .refine((given) => (given.code === undefined) !== (given.passkey === undefined), {
        error: 'a code or a passkey is required',
        path: ['code'],
      }),
    output: z.union([Tokens, Enrolled]),
    transaction: 'own',
  }),
  enable: post('/auth/mfa/enable', {
    summary: 'Enable MFA with the authenticator app that is being enrolled',
    access: enrolling,
    audit: 'auth.mfa.setup',
    stepUp: noStepUp('starting the enrollment required the proof'),
    input: z.object({ code }),
    output: Enrolled,
    transaction: 'own',
  }),
  disable: post('/auth/mfa/disable', {
    summary: 'Disable authenticator and SMS codes as the second factor',
    access: signedIn({ kinds: people, beforeActive: true }),
    audit: 'auth.mfa.disable',
    stepUp: 'always',
    input: z.object({ code }),
    output: success,
    transaction: 'own',
  }),
  recoveryCodes: post('/auth/mfa/recovery-codes', {
    summary: 'Replace all recovery codes',
    access: signedIn({ kinds: people, beforeActive: true }),
    audit: 'auth.mfa.recovery_codes.rotate',
    stepUp: 'always',
    input: z.object({}),
    output: z.object({ recoveryCodes: z.array(z.string()) }),
    transaction: 'own',
  }),
  enableSms: post('/auth/mfa/sms/enable', {
    summary: 'Enable SMS codes as the second factor',
    access: enrolling,
    audit: 'auth.mfa.setup',
    stepUp: 'always',
    input: z.object({}),
    output: Enrolled,
    transaction: 'own',
  }),
  sendSms: post('/auth/mfa/sms/send', {
    summary: 'Send an SMS code for a sign-in, or without a `tempToken` for the signed-in user',
    access: anyone,
    audit: unaudited('the sign-in that uses the code is audited'),
    input: z.object({ tempToken: z.string().min(1).max(512).optional() }),
    output: z.object({ success: z.literal(true), phoneEnding: z.string(), expiresIn: z.number() }),
    transaction: 'own',
  }),
}
