// The operations of signing in act on the caller's own account. These examples serve the checks before a handler and bad input.
// Other tests cover signing in itself. The statuses are those of a caller without the right code.
import type { ExamplesOf } from '../../examples.ts'
import type { mfa } from './factors/mfa.contract.ts'
import type { passkeys } from './factors/passkeys.contract.ts'
import type { phone } from './factors/phone.contract.ts'
import type { sessions } from './sessions/sessions.contract.ts'
import type { password } from './sign-in/password.contract.ts'
import type { registration } from './sign-in/registration.contract.ts'
import type { session } from './sign-in/session.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** An open session and a passkey of the partner's member. */
    readonly session: string
    readonly passkey: string
  }
}

const subject = 'own'
const refused = [400, 401, 403, 404, 409]
const strong = 'correct horse battery 42'

export const sessionExamples: ExamplesOf<typeof session> = {
  login: { subject, answers: [401], input: (stage) => ({ email: `${stage.fresh()}@example.test`, password: strong }) },
  refresh: { subject, answers: [401], input: () => ({ refreshToken: 'not-a-token' }) },
  logout: { subject, input: () => ({}) },
  me: { subject, input: () => ({}) },
}
export const sessionsExamples: ExamplesOf<typeof sessions> = {
  list: { subject, input: () => ({}) },
  revoke: { subject: 'foreign', answers: refused, input: ({ session }) => ({ id: session }) },
  revokeOthers: { subject, input: () => ({}) },
  confirm: { subject, input: () => ({}) },
  memberships: { subject, input: () => ({}) },
  switch: { subject, answers: refused, input: ({ partner }) => ({ scope: 'partner' as const, partnerId: partner }) },
}
export const passwordExamples: ExamplesOf<typeof password> = {
  forgot: { subject, input: (stage) => ({ email: `${stage.fresh()}@example.test` }) },
  reset: { subject, answers: refused, input: () => ({ token: 'not-a-token', newPassword: strong }) },
  change: { subject, answers: refused, input: () => ({ currentPassword: 'wrong', newPassword: strong }) },
}
export const mfaExamples: ExamplesOf<typeof mfa> = {
  setup: { subject, answers: refused, input: () => ({}) },
  verify: { subject, answers: refused, input: () => ({ code: '123456', tempToken: 'not-a-token' }) },
  enable: { subject, answers: refused, input: () => ({ code: '123456' }) },
  disable: { subject, answers: refused, input: () => ({ code: '123456' }) },
  recoveryCodes: { subject, answers: refused, input: () => ({}) },
  enableSms: { subject, answers: refused, input: () => ({}) },
  sendSms: { subject, answers: refused, input: () => ({ tempToken: 'not-a-token' }) },
}
export const phoneExamples: ExamplesOf<typeof phone> = {
  verify: {
    subject,
    answers: [...refused, 503],
    input: (stage) => ({ phoneNumber: `+49${Number.parseInt(stage.fresh(), 16) % 1e9}` }),
  },
  confirm: { subject, answers: refused, input: () => ({ code: '123456' }) },
}
export const passkeysExamples: ExamplesOf<typeof passkeys> = {
  list: { subject, input: () => ({}) },
  registrationOptions: { subject, answers: refused, input: () => ({}) },
  add: { subject, answers: refused, input: () => ({ passkey: { id: 'x' } }) },
  rename: { subject: 'foreign', answers: refused, input: ({ passkey }) => ({ id: passkey, name: 'Laptop' }) },
  remove: { subject: 'foreign', answers: refused, input: ({ passkey }) => ({ id: passkey }) },
  loginOptions: { subject, input: () => ({}) },
  login: { subject, answers: refused, input: () => ({ challengeToken: 'x', passkey: { id: 'x' } }) },
}
export const registrationExamples: ExamplesOf<typeof registration> = {
  register: {
    subject,
    input: (stage) => ({ email: `${stage.fresh()}@example.test`, password: strong, name: 'Guest' }),
  },
  registerPartner: {
    subject,
    input: (stage) => ({
      email: `${stage.fresh()}@example.test`,
      password: strong,
      name: 'Guest',
      companyName: 'New company',
    }),
  },
  verifyEmail: { subject, answers: refused, input: () => ({ token: 'not-a-token' }) },
  resendVerification: { subject, answers: refused, input: () => ({}) },
}
