import { errorCodes } from '@muster/kit/vocabulary.ts'

/** The audit actions of this area. */
export const actions = [
  'partner.register',
  'user.login',
  'user.login.failed',
  'user.logout',
  'user.register',
  'user.email.verify',
  'user.session.revoke',
  'user.session.switch',
  'user.step_up',
  'user.step_up.failed',
  'auth.refresh.reuse',
  'auth.password.forgot',
  'auth.password.reset',
  'auth.password.change',
  'auth.mfa.setup',
  'auth.mfa.disable',
  'auth.mfa.verify',
  'auth.mfa.recovery_codes.rotate',
  'auth.phone.verify',
  'auth.passkey.create',
  'auth.passkey.update',
  'auth.passkey.delete',
] as const

/** The error codes of this area, with their HTTP statuses. */
export const errors = errorCodes({ SSO_REQUIRED: 403 })
