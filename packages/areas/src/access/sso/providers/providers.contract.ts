import {
  changes,
  create,
  del,
  flag,
  get,
  id,
  nameText,
  page,
  pageOf,
  patch,
  people,
  personCan,
  post,
  signedIn,
  success,
  time,
  unaudited,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { storedDomains } from './domains.rules.ts'
import { isEveryDirectory } from './presets.rules.ts'

const providerStatus = z.enum(['active', 'inactive', 'testing'])
const claimName = z.string().trim().min(1).max(100)

/** The names of the provider's claims. */
export const AttributeMapping = z.object({
  email: claimName.optional(),
  emailVerified: claimName.optional(),
  name: claimName.optional(),
  firstName: claimName.optional(),
  lastName: claimName.optional(),
})

/** The result of reading the discovery document of the issuer. */
const Discovery = z.object({
  found: z.boolean(),
  /** Why the document could not be read; empty when it could. */
  message: z.string(),
  authorizationEndpoint: z.string().nullable(),
  tokenEndpoint: z.string().nullable(),
  jwksUri: z.string().nullable(),
  userinfoEndpoint: z.string().nullable(),
})
export type Discovery = z.infer<typeof Discovery>

/** An identity provider of one organization. Its client secret and SCIM token are never shown. */
export const Provider = z.object({
  id: id(),
  orgId: id(),
  partnerId: id(),
  name: z.string(),
  type: z.enum(['oidc', 'saml']),
  preset: z.string().nullable(),
  status: providerStatus,
  issuer: z.string(),
  clientId: z.string(),
  hasClientSecret: z.boolean(),
  scopes: z.string(),
  attributeMapping: AttributeMapping,
  /** Whether unknown users who authenticate are added to the organization. */
  autoProvision: z.boolean(),
  defaultRoleId: id().nullable(),
  /** Email domains that may sign in, comma separated. Empty means all. */
  allowedDomains: z.string(),
  /** Whether members of the organization can sign in only through this provider. Applies while the provider is active. */
  enforceSSO: z.boolean(),
  /** Whether a second factor that the provider reports (claim `amr`) is accepted. */
  trustMfa: z.boolean(),
  /** When a test of the provider, or a sign-in through it, first succeeded with the current issuer and client. */
  provenAt: time().nullable(),
  /** The redirect URI to register at the provider. */
  redirectUri: z.string(),
  /** The URL that starts a sign-in. */
  loginUrl: z.string(),
  scim: z.object({
    baseUrl: z.string(),
    /** The first characters of the token; null when there is none. */
    tokenPrefix: z.string().nullable(),
    tokenCreatedAt: time().nullable(),
    /** Until when the token before the last rotation is valid. */
    previousExpiresAt: time().nullable(),
    lastUsedAt: time().nullable(),
  }),
  createdAt: time(),
  updatedAt: time(),
})
export type Provider = z.infer<typeof Provider>
const Discovered = Provider.extend({ discovery: Discovery.nullable() })

const issuer = z
  .string()
  .trim()
  .max(2048)
  .refine(isIssuer, { error: 'must be an https URL without credentials, query and fragment' })
  .refine((text) => !isEveryDirectory(text), { error: 'must name one directory. Use its tenant ID' })
const allowedDomains = z
  .string()
  .max(5_000)
  .refine((text) => storedDomains(text) !== null, { error: 'must be email domains such as example.com,example.org' })
  .transform((text) => storedDomains(text) ?? '')
const scopes = z
  .string()
  .trim()
  .max(500)
  .regex(/^[\w.:/+-]+( [\w.:/+-]+)*$/, { error: 'must be scopes separated by spaces' })
  .refine((text) => text.split(' ').includes('openid'), { error: 'must contain openid' })

const changeable = {
  name: nameText(),
  preset: z.string().trim().max(50).nullable(),
  issuer,
  clientId: z.string().trim().min(1).max(255),
  /** Null removes the secret, for a client that only uses PKCE. */
  clientSecret: z.string().min(1).max(1_024).nullable(),
  scopes,
  attributeMapping: AttributeMapping,
  autoProvision: flag(),
  defaultRoleId: id().nullable(),
  allowedDomains,
  enforceSSO: flag(),
  trustMfa: flag(),
}

const read = personCan('settings:read')
// The provider decides who each member of the organization is, so changing it requires all permissions.
const write = personCan('*:*')

const Preset = z.object({
  id: z.string(),
  name: z.string(),
  issuer: z.string(),
  issuerPattern: z.string().nullable(),
  scopes: z.string(),
  attributeMapping: z.record(z.string(), z.string()),
  sharedIssuer: z.boolean(),
  saysMfa: z.boolean(),
  notes: z.string(),
})

const Step = z.object({
  step: z.enum(['address', 'discovery', 'issuer', 'endpoints', 'pkce', 'algorithms', 'client', 'scopes', 'keys']),
  ok: z.boolean(),
  message: z.string(),
})
export type Step = z.infer<typeof Step>

export const Identity = z.object({
  id: id(),
  providerId: id(),
  userId: id(),
  issuer: z.string(),
  subject: z.string(),
  /** The address that the provider sent last. */
  email: z.string(),
  createdAt: time(),
  lastLoginAt: time().nullable(),
})

export const providers = {
  presets: get('/sso/presets', {
    summary: 'List presets of common identity providers',
    access: signedIn({ kinds: people }),
    input: z.object({}),
    output: z.object({ data: z.array(Preset) }),
  }),
  list: get('/sso/providers', {
    summary: 'List identity providers of one organization or of all',
    access: read,
    input: z.object({ orgId: id().optional(), ...page }),
    output: pageOf(Provider),
  }),
  get: get('/sso/providers/:id', {
    summary: 'Get an identity provider',
    access: read,
    input: z.object({ id: id() }),
    output: Provider,
  }),
  create: create('/sso/providers', {
    summary: 'Create an identity provider for an organization. Its discovery document is fetched at once',
    access: write,
    audit: 'sso.provider.create',
    stepUp: 'always',
    input: z.object({
      orgId: id().optional(),
      type: z.enum(['oidc', 'saml']).default('oidc'),
      name: changeable.name,
      issuer: changeable.issuer,
      clientId: changeable.clientId,
      clientSecret: changeable.clientSecret.default(null),
      preset: changeable.preset.default(null),
      scopes: changeable.scopes.default('openid profile email'),
      attributeMapping: AttributeMapping.default({}),
      autoProvision: flag().default(false),
      defaultRoleId: changeable.defaultRoleId.default(null),
      allowedDomains: allowedDomains.default(''),
      enforceSSO: flag().default(false),
      trustMfa: flag().default(false),
    }),
    output: Discovered,
  }),
  update: patch('/sso/providers/:id', {
    summary: 'Update an identity provider. A new issuer or client unlinks all identities',
    access: write,
    audit: 'sso.provider.update',
    stepUp: 'always',
    input: changes({ id: id() }, changeable),
    output: Discovered,
  }),
  remove: del('/sso/providers/:id', {
    summary: 'Delete an identity provider with its linked identities, and end the sessions that it opened',
    access: write,
    audit: 'sso.provider.delete',
    stepUp: 'always',
    input: z.object({ id: id() }),
    output: success,
  }),
  status: post('/sso/providers/:id/status', {
    summary:
      'Set the status of an identity provider. Only an active provider accepts sign-ins; an inactive one ends the ' +
      'sessions that it opened',
    access: write,
    audit: 'sso.provider.update',
    stepUp: 'always',
    input: z.object({ id: id(), status: providerStatus }),
    output: Provider,
  }),
  test: post('/sso/providers/:id/test', {
    summary: 'Test the discovery document and keys of an identity provider, and report each step',
    access: write,
    audit: unaudited('it changes nothing'),
    input: z.object({ id: id() }),
    output: z.object({ success: z.boolean(), steps: z.array(Step) }),
    transaction: 'own',
  }),
  identities: get('/sso/providers/:id/identities', {
    summary: 'List users who are linked to an identity provider',
    access: read,
    input: z.object({ id: id(), ...page }),
    output: pageOf(Identity),
  }),
  unlink: del('/sso/providers/:id/identities/:identityId', {
    summary: 'Unlink a user from an identity provider and end the sessions that it opened for the user',
    access: write,
    audit: 'sso.identity.unlink',
    stepUp: 'always',
    input: z.object({ id: id(), identityId: id() }),
    output: success,
  }),
}

const WithToken = Provider.shape.scim.extend({ token: z.string() })

export const scimTokens = {
  rotate: create('/sso/providers/:id/scim-token', {
    summary: 'Create or replace the SCIM token of an identity provider. The token is shown only once',
    access: write,
    audit: 'scim.token.rotate',
    stepUp: 'always',
    input: z.object({
      id: id(),
      /** How long the previous token stays valid; 0 invalidates it at once. */
      overlapSeconds: z.number().int().min(0).max(604_800).default(0),
    }),
    output: WithToken,
  }),
  revoke: del('/sso/providers/:id/scim-token', {
    summary: 'Revoke the SCIM tokens of an identity provider',
    access: write,
    audit: 'scim.token.revoke',
    stepUp: 'always',
    input: z.object({ id: id() }),
    output: success,
  }),
}

// Plain http is only for a provider on the same machine, and only when the operator has allowed that address.
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isPlain = username === '' && password === '' && search === '' && hash === '' && !/[?#]/.test(text)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && isLoopback))
}
