// A real identity provider for tests: the certified server oidc-provider, in this process, with its own keys.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { type Adapter, type AdapterPayload, type Configuration, Provider } from 'oidc-provider'

export interface IdentityProviderOptions {
  /** The allowed redirect URI. */
  readonly redirectUris: string[]
  /** Null for a client without a secret. */
  readonly clientSecret?: string | null
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post'
  /** Whether ID tokens contain the address and the name, or only the user info endpoint returns them. */
  readonly claimsInIdToken?: boolean
}

/** A user of the identity provider. */
export interface TestSubject {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  /** The authentication methods, for the claim `amr`. */
  readonly amr?: string[]
  readonly [claim: string]: unknown
}

const page = `<!doctype html><title>Sign in at the provider</title>
<form method="post"><label>Account <input name="login" autofocus></label><button>Sign in</button></form>`

async function signingKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), use: 'sig', alg: 'RS256' }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const part of request) text += String(part)
  return new URLSearchParams(text)
}

/** The stored data of the provider, kept after a change of keys. */
function memory(): (name: string) => Adapter {
  const entries = new Map<string, AdapterPayload>()
  return (name) => {
    const key = (id: string) => `${name} ${id}`
    const where = (fits: (payload: AdapterPayload) => boolean) =>
      [...entries].find(([id, payload]) => id.startsWith(`${name} `) && fits(payload))?.[1]
    return {
      upsert: async (id, payload) => void entries.set(key(id), payload),
      find: async (id) => entries.get(key(id)),
      findByUid: async (uid) => where((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => where((payload) => payload.userCode === userCode),
      consume: async (id) =>
        void entries.set(key(id), { ...entries.get(key(id)), consumed: Math.trunc(Date.now() / 1000) }),
      destroy: async (id) => void entries.delete(key(id)),
      async revokeByGrantId(grantId) {
        for (const [id, payload] of entries) if (payload.grantId === grantId) entries.delete(id)
      },
    }
  }
}

/** Starts a provider on a free port of the address. `login_hint`, or the form on its page, says who signs in. */
export async function startIdentityProvider(options: IdentityProviderOptions) {
  const { clientSecret = randomBytes(24).toString('hex'), clientAuth = 'client_secret_basic' } = options
  const people = new Map<string, TestSubject>()
  const clientId = `muster-${randomBytes(4).toString('hex')}`
  const cookieKey = randomBytes(16).toString('hex')
  const adapter = memory()
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const configuration = (key: JWK): Configuration => ({
    clients: [
      {
        client_id: clientId,
        redirect_uris: options.redirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code'],
        ...(clientSecret === null
          ? { token_endpoint_auth_method: 'none' }
          : { client_secret: clientSecret, token_endpoint_auth_method: clientAuth }),
      },
    ],
    adapter,
    jwks: { keys: [key] },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 600, IdToken: 300, Interaction: 600, Session: 600 },
    cookies: { keys: [cookieKey] },
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified', 'upn'], profile: ['name', 'given_name'] },
    conformIdTokenClaims: options.claimsInIdToken === false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })

  async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response)
    const named = request.method === 'POST' ? (await bodyOf(request)).get('login') : params.login_hint
    if (typeof named !== 'string' || named === '') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page)
      return
    }
    const amr = people.get(named)?.amr
    const result = people.has(named)
      ? { login: { accountId: named, ...(amr === undefined ? {} : { amr }) } }
      : { error: 'access_denied', error_description: 'no user with this name' }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  }

  async function useNewKeys(): Promise<void> {
    const provider = new Provider(issuer, configuration(await signingKey()))
    const answer = provider.callback()
    listener = (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response)
      interact(provider, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
    }
  }
  await useNewKeys()
  return {
    issuer,
    clientId,
    clientSecret,
    /** By subject. */
    people,
    /** Replaces the signing key. The previous key is no longer published. */
    useNewKeys,
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type TestIdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>
