// The message envelopes of SCIM (RFC 7643, 7644).
import type { Failure } from '@muster/kit/contract.ts'

export const mediaType = 'application/scim+json'
export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const message = (name: string) => `urn:ietf:params:scim:api:messages:2.0:${name}`
export const listSchema = message('ListResponse')

/** An error in the shape of the standard. */
export const scimFailure = ({ status, message: detail, extra }: Failure): object => {
  // A conflict over a field violates its uniqueness.
  const scimType = extra.scimType ?? (status === 409 && extra.field !== undefined ? 'uniqueness' : undefined)
  return {
    schemas: [message('Error')],
    status: String(status),
    ...(typeof scimType === 'string' ? { scimType } : {}),
    detail,
  }
}

interface Attribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'complex' | 'reference'
  readonly multiValued?: boolean
  readonly required?: boolean
  readonly mutability?: 'readWrite' | 'readOnly'
  readonly uniqueness?: 'none' | 'server'
  readonly caseExact?: boolean
  readonly subAttributes?: readonly Attribute[]
}

const described = ({ subAttributes, ...attribute }: Attribute): object => ({
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  description: '',
  ...attribute,
  ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(described) }),
})

const text = (name: string, more: Partial<Attribute> = {}): Attribute => ({ name, type: 'string', ...more })

const userAttributes: readonly Attribute[] = [
  text('userName', { required: true, uniqueness: 'server' }),
  { name: 'name', type: 'complex', subAttributes: [text('formatted'), text('familyName'), text('givenName')] },
  text('displayName'),
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    subAttributes: [text('value'), text('type'), { name: 'primary', type: 'boolean' }],
  },
  { name: 'active', type: 'boolean' },
  text('externalId', { caseExact: true }),
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [text('value', { mutability: 'readOnly' }), text('display', { mutability: 'readOnly' })],
  },
]
const groupAttributes: readonly Attribute[] = [
  text('displayName', { required: true, uniqueness: 'server' }),
  text('externalId', { caseExact: true }),
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    subAttributes: [text('value'), text('display', { mutability: 'readOnly' })],
  },
]

const schemaOf = (id: string, name: string, attributes: readonly Attribute[]) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description: name,
  attributes: attributes.map(described),
})
const typeOf = (name: string, schema: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: name,
  schema,
})

export const schemas = [
  schemaOf(userSchema, 'User', userAttributes),
  schemaOf(groupSchema, 'Group', groupAttributes),
] as const
export const resourceTypes = [typeOf('User', userSchema), typeOf('Group', groupSchema)] as const

export const resultsMax = 200
export const serviceProviderConfig = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: resultsMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The SCIM token of the identity provider. Create it in the settings of the provider',
      primary: true,
    },
  ],
}
