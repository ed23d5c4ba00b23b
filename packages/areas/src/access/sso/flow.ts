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
import { isAllowed } from './domains.rules.ts'
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
  isBrowser,
  keepLogin,
  keepSignedIn,
  type LoginSession,
  markBrowser,
  takeLogin,
  takeSignedIn,
} from './login-sessions.ts'
import { admitPerson } from './people.ts'
import { isSharedIssuer } from './presets.rules.ts'
import { AttributeMapping } from './providers.contract.ts'
import {
  activeProvidersOf,
  findActiveProvider,
  loginPathOf,
  type ProviderRow,
  redirectUriOf,
  registrationOf,
} from './providers.queries.ts'

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
      services.log.warn({ err: error, provider: provider.id }, 'an identity provider could not be asked')
      return failed(services, 'provider_unavailable')
    }
    const redirect = ownPage(services, input.redirect)
    const browser = markBrowser(call)
    await keepLogin(services, { ...secrets, providerId: provider.id, orgId, issuer, clientId, browser, redirect })
    return to(location)
  },

  async callback(call) {
    const { services, request, input } = call
    await limitsOf(services).take('ssoCallbackPerAddress', originOf(request.ip))
    const session = input.state === undefined ? null : await takeLogin(services, input.state)
    if (session === null || !isBrowser(call, session.browser)) return failed(services, 'session_expired')
    const provider = await asSystem(services.system, (db) => findActiveProvider(db, session.providerId))
    // One that has become another provider meanwhile did not begin this.
    if (provider === undefined || provider.issuer !== session.issuer || provider.clientId !== session.clientId) {
      return failed(services, 'provider_not_found')
    }
    const outcome = await verified(call, session, provider)
    if ('error' in outcome) return refused(call, provider, outcome.error)
    const code = await keepSignedIn(services, {
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
    if (signedIn === null || !isBrowser(call, signedIn.browser)) throw deadCode()
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
    if (provider === undefined || account?.status !== 'active' || membership === undefined) throw deadCode()
    const vouched = signedIn.mfa && provider.trustMfa
    const owes = missingMfa(services.settings.enable2fa, membership, account, false, vouched)
    // Where a second factor is demanded and the provider's does not count, somebody who has one of ours is asked for it.
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

const deadCode = () => unauthenticated('Invalid or expired code')

const to = (location: string): RawAnswer => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: null,
})

const failed = ({ settings }: Services, error: CallbackError): RawAnswer =>
  to(`${settings.publicUrl}${signInPage}?error=${error}`)

/** A path of ours to come back to; anything else is the sign-in page. */
function ownPage({ settings }: Services, given: string | undefined): string {
  if (given === undefined || !/^\/(?![/\\])[\w\-./~%?=&+:@!$'()*,;]*$/.test(given)) return signInPage
  const url = new URL(given, settings.publicUrl)
  return url.origin === new URL(settings.publicUrl).origin ? url.pathname + url.search : signInPage
}

type Outcome = { readonly userId: string; readonly mfa: boolean } | { readonly error: CallbackError }

/** Who came back, if everything holds: the provider's word, the address, the membership. */
async function verified(call: Call, session: LoginSession, provider: ProviderRow): Promise<Outcome> {
  const { services } = call
  const mapping = AttributeMapping.parse(provider.attributeMapping)
  let asserted: Asserted
  try {
    const returned = returnedTo(call)
    asserted = await redeem(services, registrationOf(services, provider), returned, session, mapping.email ?? 'email')
  } catch (error) {
    services.log.warn({ err: error, provider: provider.id }, 'a single sign-on did not hold')
    if (isRefusedThere(error)) return { error: 'access_denied' }
    return { error: isUnavailable(error) ? 'provider_unavailable' : 'sign_in_failed' }
  }
  const { claims, issuer, subject } = asserted
  const { email, emailVerified, name } = attributesOf(claims, mapping)
  // An issuer that serves everybody has to say that the address was verified; one of the organization's own is believed
  // unless it says the contrary.
  if (email === null || emailVerified === false || (emailVerified === null && isSharedIssuer(issuer))) {
    return { error: 'email_not_verified' }
  }
  if (!isAllowed(email, provider.allowedDomains)) return { error: 'domain_not_allowed' }
  const person = { issuer, subject, email, name: name ?? email }
  const admitted = await call.write((db) => admitPerson(call, db, provider, person))
  return 'error' in admitted ? admitted : { userId: admitted.userId, mfa: namesSecondFactor(claims) }
}

/** The address that the browser was sent back to, as the provider knows it, with what it was given. */
function returnedTo({ services, input }: Call): URL {
  const returned = new URL(redirectUriOf(services))
  for (const [name, value] of Object.entries(input ?? {})) {
    if (typeof value === 'string') returned.searchParams.set(name, value)
  }
  return returned
}

/** The refusal is written down where the organization can read it; the browser gets the identifier alone. */
async function refused(call: Call, provider: ProviderRow, error: CallbackError): Promise<RawAnswer> {
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
