import {
  changes,
  create,
  del,
  get,
  id,
  limit,
  moment,
  nameText,
  noStepUp,
  pageNumber,
  pageOf,
  patch,
  personCan,
  post,
  stepUpWhen,
  success,
  time,
} from '@muster/kit/contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { z } from 'zod'
import { isPermission } from '../../vocabulary.contract.ts'

const permission = z
  .custom<Permission>((value) => typeof value === 'string' && isPermission(value), {
    error: 'must be a permission such as devices:read',
  })
  .meta({ type: 'string', examples: ['devices:read'] })

/** A credential for programs that act in the name of its creator. The secret is shown once, when the key is created. */
export const ApiKey = z.object({
  id: id(),
  name: z.string(),
  /** The first characters of the key, for recognition. */
  prefix: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  scope: z.enum(['system', 'partner', 'organization']),
  partnerId: id().nullable(),
  /** The only organization that the key reaches; null without such a limit. */
  orgId: id().nullable(),
  /** The creator. The key never has more permissions than this user. */
  userId: id(),
  /** The permissions that the key was given. Those that its creator lost are ineffective. */
  scopes: z.array(z.string()),
  /** Addresses or networks that the key may be used from. Empty means any. */
  allowedAddresses: z.array(z.string()),
  requestsPerMinute: z.number(),
  expiresAt: time(),
  /** Until when the secret before the last rotation is valid. */
  previousExpiresAt: time().nullable(),
  lastUsedAt: time().nullable(),
  lastUsedIp: z.string().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type ApiKey = z.infer<typeof ApiKey>
const WithSecret = ApiKey.extend({ key: z.string() })

const name = nameText()
const scopes = z.array(permission).min(1).max(50)
const network = z
  .string()
  .trim()
  .max(50)
  .refine(isNetworkText, { error: 'must be an address or a network in CIDR form' })
const allowedAddresses = z.array(network).max(50)
const requestsPerMinute = z.number().int().min(1).max(60_000)
const expiresAt = moment()

export const keys = {
  list: get('/api-keys', {
    summary: 'List API keys',
    access: personCan('settings:read'),
    input: z.object({
      status: z.enum(['active', 'expired', 'revoked']).optional(),
      orgId: id().optional(),
      userId: id().optional(),
      page: pageNumber(),
      limit: limit(100, 100),
    }),
    output: pageOf(ApiKey),
  }),
  get: get('/api-keys/:id', {
    summary: 'Get an API key',
    access: personCan('settings:read'),
    input: z.object({ id: id() }),
    output: ApiKey,
  }),
  create: create('/api-keys', {
    summary: 'Create an API key with some or all of your permissions. The key is shown only once',
    access: personCan('settings:write'),
    audit: 'api_key.create',
    stepUp: 'always',
    input: z.object({
      name,
      scopes,
      orgId: id().optional(),
      allowedAddresses: allowedAddresses.default([]),
      requestsPerMinute: requestsPerMinute.default(600),
      expiresAt: expiresAt.optional(),
    }),
    output: WithSecret,
  }),
  update: patch('/api-keys/:id', {
    summary: 'Update one of your API keys',
    access: personCan('settings:write'),
    audit: 'api_key.update',
    stepUp: stepUpWhen('the key gets more permissions, more addresses, a faster rate or a later end'),
    input: changes({ id: id() }, { name, scopes, allowedAddresses, requestsPerMinute, expiresAt }),
    output: ApiKey,
  }),
  rotate: post('/api-keys/:id/rotate', {
    summary: 'Rotate the secret of one of your API keys. The previous secret stays valid for a limited time',
    access: personCan('settings:write'),
    audit: 'api_key.rotate',
    stepUp: 'always',
    input: z.object({
      id: id(),
      /** How long the previous secret stays valid; 0 invalidates it at once. */
      overlapSeconds: z.number().int().min(0).max(604_800).default(86_400),
    }),
    output: WithSecret,
  }),
  revoke: del('/api-keys/:id', {
    summary: 'Revoke an API key permanently',
    access: personCan('settings:write'),
    audit: 'api_key.revoke',
    stepUp: noStepUp('revoking a key only removes access'),
    input: z.object({ id: id() }),
    output: success,
  }),
}

// A rough check for forms. The server parses the text when the key is used, and an unparsable text matches no address.
function isNetworkText(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false
  const most = address.includes(':') ? 128 : 32
  const isAddress = z.union([z.ipv4(), z.ipv6()]).safeParse(address).success
  return isAddress && Number(bits ?? 0) <= most
}
