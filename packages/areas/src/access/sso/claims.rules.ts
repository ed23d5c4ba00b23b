// Reads the attributes of a user from the claims of an identity provider.

/** The names of the claims, for providers with other names than the standard ones. */
export interface AttributeMapping {
  readonly email?: string | undefined
  readonly emailVerified?: string | undefined
  readonly name?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
}

export interface Attributes {
  /** In lower case; null when there is none. */
  readonly email: string | null
  /** Null when the provider does not say. */
  readonly emailVerified: boolean | null
  readonly name: string | null
}

type Claims = Readonly<Record<string, unknown>>

const textMax = 255

const text = (claims: Claims, name: string): string | null => {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (typeof value !== 'string') return null
  const trimmed = value.replace(/\p{Cc}/gu, '').trim()
  return trimmed === '' || trimmed.length > textMax ? null : trimmed
}

/** The address in lower case. Null when lower-casing turns a non-ASCII letter into ASCII, which would make it another address. */
function address(given: string | null): string | null {
  const changesScript = [...(given ?? '')].some((sign) => sign > '\x7f' && /[a-z]/.test(sign.toLowerCase()))
  return changesScript ? null : (given?.toLowerCase() ?? null)
}

/** Some providers send booleans as text or as a number. */
function truth(claims: Claims, name: string): boolean | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (value === true || value === 'true' || value === 1 || value === '1') return true
  return value === undefined || value === null ? null : false
}

/** The attributes in the claims. `xms_edov` is the claim of Entra ID for a verified address. */
export function attributesOf(claims: Claims, mapping: AttributeMapping): Attributes {
  const firstName = text(claims, mapping.firstName ?? 'given_name')
  const lastName = text(claims, mapping.lastName ?? 'family_name')
  const bothNames = [firstName, lastName].filter((part) => part !== null).join(' ')
  const said = truth(claims, mapping.emailVerified ?? 'email_verified')
  return {
    email: address(text(claims, mapping.email ?? 'email')),
    emailVerified: said ?? (mapping.emailVerified === undefined ? truth(claims, 'xms_edov') : null),
    name: text(claims, mapping.name ?? 'name') ?? (bothNames === '' ? null : bothNames),
  }
}

const knowledge = new Set(['pwd', 'pin', 'kba'])
const possession = new Set(['otp', 'sms', 'tel', 'hwk', 'swk', 'sc', 'pop', 'fpt', 'face', 'iris', 'retina', 'vbm'])

/** Whether the claim `amr` (RFC 8176) names two factors: `mfa`, or one factor of knowledge and one of possession. */
export function namesSecondFactor(claims: Claims): boolean {
  const { amr } = claims
  if (!Array.isArray(amr)) return false
  const methods = amr.filter((method) => typeof method === 'string')
  return (
    methods.includes('mfa') ||
    (methods.some((method) => knowledge.has(method)) && methods.some((method) => possession.has(method)))
  )
}
