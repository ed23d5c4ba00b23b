// An identity provider that violates the protocol on request, one fault at a time.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** How the provider differs from a correct one. */
export interface Faults {
  /** Fields of the discovery document. */
  readonly document?: Record<string, unknown>
  readonly claims?: JWTPayload
  readonly header?: Record<string, unknown>
  /** Creates the ID token in place of the provider. */
  idToken?(claims: JWTPayload): Promise<string> | string
  readonly keys?: unknown
  /** Answers a request in place of the provider. @returns whether it did */
  answer?(request: IncomingMessage, response: ServerResponse): boolean
}

const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A token without a signature. */
export const unsigned = (claims: JWTPayload) => `${text({ alg: 'none' })}.${text(claims)}.`

export async function startFaultyProvider(clientId = 'muster') {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = 'one'
  const published = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  const state = { faults: {} as Faults, nonce: '', hits: [] as string[] }

  const correctClaims = (issuer: string): JWTPayload => {
    const now = Math.trunc(Date.now() / 1000)
    const user = { sub: 'ada', email: 'ada@example.test', email_verified: true }
    return { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce: state.nonce, ...user }
  }

  async function idToken(issuer: string): Promise<string> {
    const { claims = {}, header = {}, idToken: make } = state.faults
    const payload = { ...correctClaims(issuer), ...claims }
    if (make !== undefined) return make(payload)
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(privateKey)
  }

  const json = (response: ServerResponse, value: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    state.hits.push(request.url ?? '')
    if (state.faults.answer?.(request, response) === true) return
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      scopes_supported: ['openid', 'profile', 'email'],
      ...state.faults.document,
    }
    if (request.url === '/.well-known/openid-configuration') json(response, document)
    else if (request.url === '/keys') json(response, state.faults.keys ?? { keys: [published] })
    else if (request.url === '/token') {
      json(response, { access_token: 'x', token_type: 'bearer', expires_in: 60, id_token: await idToken(issuer) })
    } else response.writeHead(404).end()
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    clientId,
    published,
    hits: state.hits,
    /** Sets the faults of the next sign-ins. */
    setFaults(faults: Faults): void {
      state.faults = faults
    },
    /** Stores the nonce of the current sign-in, which the ID token contains. */
    rememberNonce(address: URL): void {
      state.nonce = address.searchParams.get('nonce') ?? ''
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
