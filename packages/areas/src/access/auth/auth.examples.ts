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

const about = 'own'
const refused = [400, 401, 403, 404, 409]
const strong = 'correct horse battery 42'

export const sessionExamples: ExamplesOf<typeof session> = {
  login: { about, answers: [401], input: (stage) => ({ email: `${stage.fresh()}@example.test`, password: strong }) },
  refresh: { about, answers: [401], input: () => ({ refreshToken: 'not-a-token' }) },
  logout: { about, input: () => ({}) },
  me: { about, input: () => ({}) },
}
export const sessionsExamples: ExamplesOf<typeof sessions> = {
  list: { about, input: () => ({}) },
  revoke: { about: 'foreign', answers: refused, input: ({ session }) => ({ id: session }) },
  revokeOthers: { about, input: () => ({}) },
  confirm: { about, input: () => ({}) },
  memberships: { about, input: () => ({}) },
  switch: { about, answers: refused, input: ({ partner }) => ({ scope: 'partner' as const, partnerId: partner }) },
}
export const passwordExamples: ExamplesOf<typeof password> = {
  forgot: { about, input: (stage) => ({ email: `${stage.fresh()}@example.test` }) },
  reset: { about, answers: refused, input: () => ({ token: 'not-a-token', newPassword: strong }) },
  change: { about, answers: refused, input: () => ({ currentPassword: 'wrong', newPassword: strong }) },
}
export const mfaExamples: ExamplesOf<typeof mfa> = {
  setup: { about, answers: refused, input: () => ({}) },
  verify: { about, answers: refused, input: () => ({ code: '123456', tempToken: 'not-a-token' }) },
  enable: { about, answers: refused, input: () => ({ code: '123456' }) },
  disable: { about, answers: refused, input: () => ({ code: '123456' }) },
  recoveryCodes: { about, answers: refused, input: () => ({}) },
  enableSms: { about, answers: refused, input: () => ({}) },
  sendSms: { about, answers: refused, input: () => ({ tempToken: 'not-a-token' }) },
}
export const phoneExamples: ExamplesOf<typeof phone> = {
  verify: {
    about,
    answers: [...refused, 503],
    input: (stage) => ({ phoneNumber: `+49${Number.parseInt(stage.fresh(), 16) % 1e9}` }),
  },
  confirm: { about, answers: refused, input: () => ({ code: '123456' }) },
}
export const passkeysExamples: ExamplesOf<typeof passkeys> = {
  list: { about, input: () => ({}) },
  registrationOptions: { about, answers: refused, input: () => ({}) },
  add: { about, answers: refused, input: () => ({ passkey: { id: 'x' } }) },
  rename: { about: 'foreign', answers: refused, input: ({ passkey }) => ({ id: passkey, name: 'Laptop' }) },
  remove: { about: 'foreign', answers: refused, input: ({ passkey }) => ({ id: passkey }) },
  loginOptions: { about, input: () => ({}) },
  login: { about, answers: refused, input: () => ({ challengeToken: 'x', passkey: { id: 'x' } }) },
}
export const registrationExamples: ExamplesOf<typeof registration> = {
  register: {
    about,
    input: (stage) => ({ email: `${stage.fresh()}@example.test`, password: strong, name: 'Guest' }),
  },
  registerPartner: {
    about,
    input: (stage) => ({
      email: `${stage.fresh()}@example.test`,
      password: strong,
      name: 'Guest',
      companyName: 'New company',
    }),
  },
  verifyEmail: { about, answers: refused, input: () => ({ token: 'not-a-token' }) },
  resendVerification: { about, answers: refused, input: () => ({}) },
}
