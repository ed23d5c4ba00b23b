// Provisioning by identity providers, after RFC 7643 and 7644. The operations are declared raw, because the standard defines
// their media type, errors and credential, and only identity providers use them. They appear in the lists and gates like all
// other operations, but not in tRPC.
import { anyone, auditedWhen, raw } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { mediaType, scimFailure } from './messages.rules.ts'

// The provider's own token authenticates the caller, and the handlers look it up. No credential of a user works here.
const scim = {
  access: anyone,
  consumes: mediaType,
  produces: mediaType,
  failure: scimFailure,
  transaction: 'own',
  refuses: [401, 403, 404, 409],
  ignoresUnknown: 'RFC 7644, section 3.3: a service ignores attributes that it does not know',
} as const
const resourceId = z.string().max(100)
const resource = z.looseObject({ schemas: z.array(z.string().max(200)).max(20).optional() })
const whole = (text: string | number | undefined, otherwise: number) => {
  const number = Number(text)
  return text === undefined || text === '' || !Number.isFinite(number) ? otherwise : Math.trunc(number)
}
const number = (otherwise: number, least: number, most: number) =>
  z
    .union([z.string(), z.number()])
    .optional()
    .transform((given) => Math.min(Math.max(whole(given, otherwise), least), most))
const shownAttributes = {
  attributes: z.string().max(2_000).optional(),
  excludedAttributes: z.string().max(2_000).optional(),
}
const query = z.object({
  filter: z.string().max(2_000).optional(),
  startIndex: number(1, 1, 1_000_000_000),
  count: number(100, 0, 200),
  ...shownAttributes,
})
const one = z.object({ id: resourceId, ...shownAttributes })
const patch = z
  .looseObject({ id: resourceId })
  .transform(({ id, ...body }) => {
    const [, operations] = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations') ?? []
    return { id, operations }
  })
  .pipe(
    z.object({
      id: resourceId,
      operations: z
        .array(
          z.object({ op: z.string().max(20), path: z.string().max(2_000).optional(), value: z.unknown().optional() }),
        )
        .min(1)
        .max(1_000),
    }),
  )
const changing = 'something changes'

export const discovery = {
  config: raw('GET', '/scim/v2/ServiceProviderConfig', {
    summary: 'Get the SCIM features of this service',
    ...scim,
    input: z.object({}),
  }),
  resourceTypes: raw('GET', '/scim/v2/ResourceTypes', {
    summary: 'List SCIM resource types',
    ...scim,
    input: z.object({}),
  }),
  resourceType: raw('GET', '/scim/v2/ResourceTypes/:id', {
    summary: 'Get a SCIM resource type',
    ...scim,
    input: z.object({ id: resourceId }),
  }),
  schemas: raw('GET', '/scim/v2/Schemas', { summary: 'List SCIM schemas', ...scim, input: z.object({}) }),
  schema: raw('GET', '/scim/v2/Schemas/:id', {
    summary: 'Get a SCIM schema',
    ...scim,
    input: z.object({ id: resourceId }),
  }),
}

export const users = {
  list: raw('GET', '/scim/v2/Users', {
    summary: 'List members of the organization as SCIM users',
    ...scim,
    input: query,
  }),
  get: raw('GET', '/scim/v2/Users/:id', { summary: 'Get a member as a SCIM user', ...scim, input: one }),
  create: raw('POST', '/scim/v2/Users', {
    summary: 'Create a member through SCIM. A person who already has an account elsewhere is invited',
    ...scim,
    audit: 'scim.user.create',
    status: 201,
    input: resource,
  }),
  replace: raw('PUT', '/scim/v2/Users/:id', {
    summary: 'Replace the attributes of a member through SCIM',
    ...scim,
    audit: auditedWhen(changing, 'scim.user.update'),
    input: resource.extend({ id: resourceId }),
  }),
  patch: raw('PATCH', '/scim/v2/Users/:id', {
    summary: 'Update a member through SCIM. `active: false` disables the member at once',
    ...scim,
    audit: auditedWhen(changing, 'scim.user.update'),
    input: patch,
  }),
  remove: raw('DELETE', '/scim/v2/Users/:id', {
    summary: 'Remove a member from the organization through SCIM. Account and history stay',
    ...scim,
    audit: 'scim.user.delete',
    status: 204,
    input: z.object({ id: resourceId }),
  }),
}

export const groups = {
  list: raw('GET', '/scim/v2/Groups', {
    summary: 'List roles of the organization as SCIM groups',
    ...scim,
    input: query,
  }),
  get: raw('GET', '/scim/v2/Groups/:id', {
    summary: 'Get a role with its members as a SCIM group',
    ...scim,
    input: one,
  }),
  create: raw('POST', '/scim/v2/Groups', {
    summary: 'Create a role through SCIM. It has no permissions until an administrator grants some',
    ...scim,
    audit: 'scim.group.create',
    status: 201,
    input: resource,
  }),
  replace: raw('PUT', '/scim/v2/Groups/:id', {
    summary: 'Replace the name and the members of a role through SCIM',
    ...scim,
    audit: auditedWhen(changing, 'scim.group.update'),
    input: resource.extend({ id: resourceId }),
  }),
  patch: raw('PATCH', '/scim/v2/Groups/:id', {
    summary: 'Add members to a role or remove them through SCIM',
    ...scim,
    audit: auditedWhen(changing, 'scim.group.update'),
    input: patch,
  }),
  remove: raw('DELETE', '/scim/v2/Groups/:id', {
    summary: 'Delete a role that the identity provider created',
    ...scim,
    audit: 'scim.group.delete',
    status: 204,
    input: z.object({ id: resourceId }),
  }),
}
