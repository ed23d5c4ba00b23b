import { anyone, auditedWhen, get, id, post, raw } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { MfaChallenge, Tokens } from '../auth/sign-in/session.contract.ts'

/** The reason of a failed sign-in, sent to the browser as `error` in the URL of the sign-in page. */
export const callbackErrors = [
  'session_expired',
  'provider_not_found',
  'domain_not_allowed',
  'user_not_found',
  'default_role_required',
  'no_org_access',
  // In addition to the codes of the contract: the provider is unreachable, refused, or sent an invalid answer.
  'provider_unavailable',
  'access_denied',
  'sign_in_failed',
  'email_not_verified',
] as const
export type CallbackError = (typeof callbackErrors)[number]

const text = (most: number) => z.string().max(most).optional().catch(undefined)

export const flow = {
  login: raw('GET', '/sso/login/:orgId', {
    summary: 'Redirect the browser to the identity provider of an organization',
    access: anyone,
    input: z.object({
      orgId: id(),
      /** One of several providers. By default the enforced one, else the oldest. */
      provider: id().optional(),
      /** The page of Muster that receives the code. By default the sign-in page. */
      redirect: z.string().max(1_000).optional(),
      loginHint: text(255),
    }),
    status: 302,
    produces: 'text/html',
    transaction: 'own',
  }),
  callback: raw('GET', '/sso/callback', {
    summary: 'Handle the redirect from the identity provider',
    access: anyone,
    audit: auditedWhen(
      'a user is added, linked or rejected',
      'sso.user.create',
      'sso.identity.link',
      'user.login.failed',
    ),
    input: z.object({
      code: text(4_096),
      state: text(512),
      iss: text(2_048),
      error: text(255),
      error_description: text(4_096),
    }),
    ignoresUnknown: 'RFC 6749, section 4.1.2: parameters of an identity provider that are not known are ignored',
    status: 302,
    produces: 'text/html',
    transaction: 'own',
  }),
  exchange: post('/sso/exchange', {
    summary: 'Exchange the short-lived code for tokens, in the browser that started the sign-in',
    access: anyone,
    audit: auditedWhen('the sign-in completes', 'user.login'),
    input: z.object({ code: z.string().min(1).max(512) }),
    output: z.discriminatedUnion('mfaRequired', [Tokens, MfaChallenge]),
    transaction: 'own',
  }),
  check: get('/sso/check/:orgId', {
    summary: 'Get whether an organization has single sign-on, through which provider, and whether it is enforced',
    access: anyone,
    input: z.object({ orgId: id() }),
    output: z.object({
      ssoEnabled: z.boolean(),
      enforceSSO: z.boolean(),
      /** The default provider of a sign-in. */
      provider: z.object({ id: id(), name: z.string(), type: z.enum(['oidc', 'saml']) }).nullable(),
      providers: z.array(
        z.object({ id: id(), name: z.string(), type: z.enum(['oidc', 'saml']), loginUrl: z.string() }),
      ),
      loginUrl: z.string().nullable(),
    }),
  }),
}
