// What an administrator would otherwise look up for each of the common identity providers.

export interface Preset {
  readonly id: string
  readonly name: string
  /** The issuer, with braces where something of one's own belongs. */
  readonly issuer: string
  /** What an issuer of this provider looks like; null: anything. */
  readonly issuerPattern: string | null
  readonly scopes: string
  readonly attributeMapping: Readonly<Record<string, string>>
  /** Does one issuer serve everybody, so that only the domain tells whose people they are? */
  readonly sharedIssuer: boolean
  /** Does it name the ways of signing in in the claim `amr`? */
  readonly saysMfa: boolean
  readonly notes: string
}

const scopes = 'openid profile email'
const standard = { email: 'email', name: 'name' }

export const presets: readonly Preset[] = [
  {
    id: 'entra-id',
    name: 'Microsoft Entra ID',
    issuer: 'https://login.microsoftonline.com/{tenant id}/v2.0',
    issuerPattern: '^https://login\\.microsoftonline\\.(com|us)/[0-9a-f-]{36}/v2\\.0/?$',
    scopes,
    attributeMapping: standard,
    sharedIssuer: false,
    saysMfa: true,
    notes:
      'Use the directory (tenant) id, never common or organizations. Add the optional claim email to the ID token, and xms_edov if unverified addresses are to be refused. The claim amr says mfa where Conditional Access asked for it.',
  },
  {
    id: 'google',
    name: 'Google Workspace',
    issuer: 'https://accounts.google.com',
    issuerPattern: '^https://accounts\\.google\\.com/?$',
    scopes,
    attributeMapping: standard,
    sharedIssuer: true,
    saysMfa: false,
    notes: 'The issuer serves all of Google: name your domains. Choose the user type Internal on the consent screen.',
  },
  {
    id: 'okta',
    name: 'Okta',
    issuer: 'https://{your domain}.okta.com',
    issuerPattern: '^https://[a-z0-9.-]+(/oauth2/[A-Za-z0-9]+)?/?$',
    scopes,
    attributeMapping: standard,
    sharedIssuer: false,
    saysMfa: true,
    notes: 'Of a custom authorization server the issuer ends in /oauth2/default or its id.',
  },
  {
    id: 'auth0',
    name: 'Auth0',
    issuer: 'https://{tenant}.{region}.auth0.com/',
    issuerPattern: '^https://[a-z0-9.-]+/$',
    scopes,
    attributeMapping: standard,
    sharedIssuer: false,
    saysMfa: true,
    notes: 'The issuer ends in a slash. Make a regular web application; amr names a second factor as mfa.',
  },
  {
    id: 'keycloak',
    name: 'Keycloak',
    issuer: 'https://{host}/realms/{realm}',
    issuerPattern: '^https?://[^/]+(/auth)?/realms/[^/]+/?$',
    scopes,
    attributeMapping: standard,
    sharedIssuer: false,
    saysMfa: true,
    notes:
      'Make a client with client authentication on. A server in a private network has to be opened by whoever runs this installation (SSO_ALLOWED_NETWORKS). The claim amr needs a mapper.',
  },
  {
    id: 'onelogin',
    name: 'OneLogin',
    issuer: 'https://{subdomain}.onelogin.com/oidc/2',
    issuerPattern: '^https://[a-z0-9.-]+/oidc/2/?$',
    scopes,
    attributeMapping: standard,
    sharedIssuer: false,
    saysMfa: false,
    notes: 'Make an OpenId Connect app of the type Web and set its token endpoint to Basic or POST.',
  },
  {
    id: 'jumpcloud',
    name: 'JumpCloud',
    issuer: 'https://oauth.id.jumpcloud.com/',
    issuerPattern: '^https://oauth\\.id(\\.[a-z]{2})?\\.jumpcloud\\.com/?$',
    scopes,
    attributeMapping: standard,
    sharedIssuer: true,
    saysMfa: false,
    notes:
      'The issuer serves all of JumpCloud: name your domains. Map the attributes email and name in the application.',
  },
  {
    id: 'generic',
    name: 'OpenID Connect',
    issuer: 'https://{issuer}',
    issuerPattern: null,
    scopes,
    attributeMapping: standard,
    sharedIssuer: false,
    saysMfa: false,
    notes: 'Any provider with discovery at /.well-known/openid-configuration, code flow and PKCE.',
  },
]

const sharedIssuers = /^https:\/\/(accounts\.google\.com|oauth\.id(\.[a-z]{2})?\.jumpcloud\.com)\/?$/

/** Does the issuer vouch for people of all its customers alike? */
export const isSharedIssuer = (issuer: string): boolean => sharedIssuers.test(issuer)

/** Entra ID under these names signs in the people of every directory there is. */
export const isEveryDirectory = (issuer: string): boolean =>
  /^https:\/\/login\.(microsoftonline\.(com|us)|windows\.net)\/(common|organizations|consumers)(\/|$)/i.test(issuer)
