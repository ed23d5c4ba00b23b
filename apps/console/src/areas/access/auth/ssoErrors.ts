import type { CallbackError } from '@muster/areas/access/sso/flow.contract.ts'

const words: Readonly<Record<CallbackError, string>> = {
  session_expired:
    'The sign-in took longer than ten minutes, was done already, or began in another browser. Start again.',
  provider_not_found: 'Your organisation has no active sign-in provider any more. Ask your administrator.',
  domain_not_allowed:
    'Your e-mail domain is not among those that your organisation lets in. Sign in at the provider with your work account.',
  user_not_found:
    'Nobody here has your e-mail address, and people are not added by themselves. Ask your administrator for an invitation.',
  default_role_required:
    'You could not be added: the role for new people has been deleted. Your administrator has to choose another at the provider.',
  no_org_access:
    'Your account is not an active member of this organisation. Ask its administrator to invite or enable you.',
  provider_unavailable: 'The sign-in provider did not answer in time. Wait a moment and try again.',
  access_denied:
    'The provider did not let you through, or you broke off there. Start again, or ask your administrator.',
  sign_in_failed:
    'What the provider sent could not be trusted. Try again; if it happens again, your administrator has to test the provider.',
  email_not_verified:
    'The provider gave no e-mail address, or says that yours is not confirmed. Confirm it at the provider, then try again.',
}

const isKnown = (error: string): error is CallbackError => Object.hasOwn(words, error)

/** Why a sign-in through a provider failed, and what to do. */
export const ssoErrorWords = (error: string): string =>
  isKnown(error) ? words[error] : 'The sign-in through your provider did not work. Start again.'
