import { asSystem } from '@muster/db/database.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { unauthenticated } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../operation.ts'
import type { Services } from '../../services.ts'
import {
  challenge,
  completeSignIn,
  findAccount,
  hasSecondFactor,
  limitsOf,
  membershipIn,
  missingMfa,
  originOf,
} from '../auth/index.ts'
import { attributesOf, namesSecondFactor } from './claims.rules.ts'
import { type CallbackError, flow as contract } from './flow.contract.ts'
import {
  type Asserted,
  authorizationUrl,
  isRefusedThere,
  isUnavailable,
  newSecrets,
  redeem,
} from './identity-provider.ts'
import {
  identifyBrowser,
  isBrowser,
  type LoginSession,
  storeLogin,
  storeSignedIn,
  takeLogin,
  takeSignedIn,
} from './login-sessions.ts'
import { admitPerson } from './people.ts'
import { isAllowed } from './providers/domains.rules.ts'
import { isSharedIssuer } from './providers/presets.rules.ts'
import { AttributeMapping } from './providers/providers.contract.ts'
import {
  activeProvidersOf,
  findActiveProvider,
  loginPathOf,
  type ProviderRow,
  redirectUriOf,
  registrationOf,
} from './providers/providers.queries.ts'

const signInPage = '/login'

export default implement(contract, {
  async login(call) {
    const { services, request, input } = call
    await limitsOf(services).take('ssoLoginPerAddress', originOf(request.ip))
    const providers = await asSystem(services.system, (db) => activeProvidersOf(db, input.orgId))
    const provider = input.provider === undefined ? providers[0] : providers.find(({ id }) => id === input.provider)
    if (provider === undefined) return failed(services, 'provider_not_found')
    const secrets = newSecrets()
    const { issuer, clientId, scopes, orgId } = provider
    const asking = { redirectUri: redirectUriOf(services), scopes, loginHint: input.loginHint }
    let location: string
    try {
      location = await authorizationUrl(services, registrationOf(services, provider), secrets, asking)
    } catch (error) {
      services.log.warn({ err: error, provider: provider.id }, 'identity provider unreachable')
      return failed(services, 'provider_unavailable')
    }
    const redirect = pagePath(services, input.redirect)
    const browser = identifyBrowser(call)
    await storeLogin(services, { ...secrets, providerId: provider.id, orgId, issuer, clientId, browser, redirect })
    return to(location)
  },

  async callback(call) {
    const { services, request, input } = call
    await limitsOf(services).take('ssoCallbackPerAddress', originOf(request.ip))
    const session = input.state === undefined ? null : await takeLogin(services, input.state)
    if (session === null || !isBrowser(call, session.browser)) return failed(services, 'session_expired')
    const provider = await asSystem(services.system, (db) => findActiveProvider(db, session.providerId))
    // The settings changed meanwhile, so this is not the provider that began the sign-in.
    if (provider === undefined || provider.issuer !== session.issuer || provider.clientId !== session.clientId) {
      return failed(services, 'provider_not_found')
    }
    const outcome = await verified(call, session, provider)
    if ('error' in outcome) return reject(call, provider, outcome.error)
    const code = await storeSignedIn(services, {
      providerId: provider.id,
      orgId: provider.orgId,
      userId: outcome.userId,
      mfa: outcome.mfa,
      browser: session.browser,
    })
    return to(`${services.settings.publicUrl}${session.redirect}#ssoCode=${code}`)
  },

  async exchange(call) {
    const { services, request, input } = call
    const origin = originOf(request.ip)
    await limitsOf(services).take('ssoExchangePerAddress', origin)
    const signedIn = await takeSignedIn(services, input.code)
    if (signedIn === null || !isBrowser(call, signedIn.browser)) throw invalidCode()
    const { providerId, orgId, userId } = signedIn
    const { provider, account, membership } = await asSystem(services.system, async (db) => {
      const provider = await findActiveProvider(db, providerId)
      const place = { scope: 'organization', partnerId: provider?.partnerId ?? null, orgId } as const
      return {
        provider,
        account: await findAccount(db, userId, { providerId }),
        membership: await membershipIn(db, userId, place),
      }
    })
    if (provider === undefined || account?.status !== 'active' || membership === undefined) throw invalidCode()
    const vouched = signedIn.mfa && provider.trustMfa
    const owes = missingMfa(services.settings.enable2fa, membership, account, false, vouched)
    // When a second factor is required and the provider's is not trusted, users with a factor of their own enter it now.
    if (owes && hasSecondFactor(account)) return challenge(call, account, membership, providerId)
    return completeSignIn(call, { account, membership, method: 'sso', mfa: vouched, providerId, vouched })
  },

  async check({ input, db }) {
    const providers = await activeProvidersOf(db, input.orgId)
    const about = ({ id, name, type }: ProviderRow) => ({ id, name, type })
    const [first] = providers
    return {
      ssoEnabled: first !== undefined,
      enforceSSO: first?.enforceSso ?? false,
      provider: first === undefined ? null : about(first),
      providers: providers.map((row) => ({ ...about(row), loginUrl: loginPathOf(row) })),
      loginUrl: first === undefined ? null : `/api/v1/sso/login/${input.orgId}`,
    }
  },
})

const invalidCode = () => unauthenticated('Invalid or expired code')

const to = (location: string): RawAnswer => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: null,
})

const failed = ({ settings }: Services, error: CallbackError): RawAnswer =>
  to(`${settings.publicUrl}${signInPage}?error=${error}`)

/** A path of this server; the sign-in page for all other input. */
function pagePath({ settings }: Services, given: string | undefined): string {
  if (given === undefined || !/^\/(?![/\\])[\w\-./~%?=&+:@!$'()*,;]*$/.test(given)) return signInPage
  const url = new URL(given, settings.publicUrl)
  return url.origin === new URL(settings.publicUrl).origin ? url.pathname + url.search : signInPage
}

type Outcome = { readonly userId: string; readonly mfa: boolean } | { readonly error: CallbackError }

/** The verified user: checks the provider's answer, the address and the membership. */
async function verified(call: Call, session: LoginSession, provider: ProviderRow): Promise<Outcome> {
  const { services } = call
  const mapping = AttributeMapping.parse(provider.attributeMapping)
  let asserted: Asserted
  try {
    const returned = returnedTo(call)
    asserted = await redeem(services, registrationOf(services, provider), returned, session, mapping.email ?? 'email')
  } catch (error) {
    services.log.warn({ err: error, provider: provider.id }, 'single sign-on failed')
    if (isRefusedThere(error)) return { error: 'access_denied' }
    return { error: isUnavailable(error) ? 'provider_unavailable' : 'sign_in_failed' }
  }
  const { claims, issuer, subject } = asserted
  const { email, emailVerified, name } = attributesOf(claims, mapping)
  // An issuer that is shared by all customers must confirm that the address is verified. The organization's own issuer is
  // trusted unless it says that the address is unverified.
  if (email === null || emailVerified === false || (emailVerified === null && isSharedIssuer(issuer))) {
    return { error: 'email_not_verified' }
  }
  if (!isAllowed(email, provider.allowedDomains)) return { error: 'domain_not_allowed' }
  const person = { issuer, subject, email, name: name ?? email }
  const admitted = await call.write((db) => admitPerson(call, db, provider, person))
  return 'error' in admitted ? admitted : { userId: admitted.userId, mfa: namesSecondFactor(claims) }
}

/** The redirect URI as the provider knows it, with the parameters that the browser brought. */
function returnedTo({ services, input }: Call): URL {
  const returned = new URL(redirectUriOf(services))
  for (const [name, value] of Object.entries(input ?? {})) {
    if (typeof value === 'string') returned.searchParams.set(name, value)
  }
  return returned
}

/** Audits the failure for the organization. The browser only gets the error code. */
async function reject(call: Call, provider: ProviderRow, error: CallbackError): Promise<RawAnswer> {
  const { id, name, orgId, partnerId } = provider
  await call.write(async () => {
    call.audit({
      action: 'user.login.failed',
      result: error === 'sign_in_failed' || error === 'provider_unavailable' ? 'failure' : 'denied',
      target: 'unknown',
      name: null,
      orgId,
      partnerId,
      details: { method: 'sso', error, provider: id, providerName: name },
    })
  })
  return failed(call.services, error)
}
