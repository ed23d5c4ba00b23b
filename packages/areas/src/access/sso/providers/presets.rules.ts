// Settings of common identity providers, which administrators would otherwise have to look up.

export interface Preset {
  readonly id: string
  readonly name: string
  /** The issuer, with placeholders in braces. */
  readonly issuer: string
  /** The pattern of issuers of this provider; null for any. */
  readonly issuerPattern: string | null
  readonly scopes: string
  readonly attributeMapping: Readonly<Record<string, string>>
  /** Whether all customers of the provider share the issuer, so that only the domain identifies the organization. */
  readonly sharedIssuer: boolean
  /** Whether the provider sends the claim `amr`. */
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
      'Use the directory (tenant) ID, never common or organizations. Add the optional claim email to the ID token, and xms_edov to reject unverified addresses. The claim amr contains mfa when Conditional Access required it.',
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
    notes:
      'All customers of Google share the issuer, so list your domains. Choose the user type Internal on the consent screen.',
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
    notes: 'The issuer of a custom authorization server ends in /oauth2/default or /oauth2/ and its ID.',
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
    notes:
      'The issuer ends in a slash. Create a regular web application. The claim amr contains mfa after a second factor.',
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
      'Create a client with client authentication enabled. For a server in a private network, the operator of this installation has to set SSO_ALLOWED_NETWORKS. The claim amr requires a mapper.',
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
    notes: 'Create an OpenID Connect app of the type Web and set its token endpoint to Basic or POST.',
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
      'All customers of JumpCloud share the issuer, so list your domains. Map the attributes email and name in the application.',
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

/** Whether the issuer is shared by all customers of the provider. */
export const isSharedIssuer = (issuer: string): boolean => sharedIssuers.test(issuer)

/** Whether the issuer is one of the names under which Entra ID signs in users of all directories. */
export const isEveryDirectory = (issuer: string): boolean =>
  /^https:\/\/login\.(microsoftonline\.(com|us)|windows\.net)\/(common|organizations|consumers)(\/|$)/i.test(issuer)
