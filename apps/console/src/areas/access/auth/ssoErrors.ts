import type { CallbackError } from '@muster/areas/access/sso/flow.contract.ts'

const words: Readonly<Record<CallbackError, string>> = {
  session_expired:
    'The sign-in took longer than 10 minutes, was already used, or started in another browser. Try again.',
  provider_not_found: 'Your organization has no active identity provider. Ask your administrator.',
  domain_not_allowed:
    'Your organization does not allow your email domain. Sign in at the provider with your work account.',
  user_not_found:
    'No user has your email address, and users are not created automatically. Ask your administrator for an invitation.',
  default_role_required:
    'The role for new users was deleted. Ask your administrator to select another role for the provider.',
  no_org_access:
    'Your account is not an active member of this organization. Ask its administrator to invite or enable you.',
  provider_unavailable: 'The identity provider did not respond in time. Try again in a moment.',
  access_denied:
    'The identity provider denied access, or the sign-in was canceled. Try again, or ask your administrator.',
  sign_in_failed:
    'The response of the identity provider could not be verified. Try again. If it fails again, ask your administrator to test the provider.',
  email_not_verified:
    'The identity provider sent no email address, or an unconfirmed one. Confirm your address there, then try again.',
}

const isKnown = (error: string): error is CallbackError => Object.hasOwn(words, error)

/** The reason why a sign-in through a provider failed, and the next step. */
export const ssoErrorWords = (error: string): string =>
  isKnown(error) ? words[error] : 'The sign-in through your identity provider failed. Try again.'
