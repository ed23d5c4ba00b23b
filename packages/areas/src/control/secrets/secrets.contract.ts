import {
  can,
  changes,
  create,
  del,
  flag,
  get,
  id,
  noStepUp,
  page,
  pageOf,
  patch,
  success,
  time,
} from '@muster/kit/contract.ts'
import { SecretName, secretBytesMax } from '@muster/wire/commands/scripts.ts'
import { z } from 'zod'

/** The value of a secret of scripts is write-only. It belongs to a site, an organization, or without both to the whole partner. */
export const Secret = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  siteId: id().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  /** Of a secret of the whole partner: its organizations see the name and may use it. */
  sharedWithOrganizations: z.boolean(),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type Secret = z.infer<typeof Secret>

const encoder = new TextEncoder()
// Control characters would let a value grow beyond what fits into one message.
const control = /[^\P{Cc}\t\n\r]/u
const value = z
  .string()
  .min(1)
  .max(secretBytesMax)
  .refine((text) => encoder.encode(text).length <= secretBytesMax, {
    error: `must be at most ${secretBytesMax} bytes long`,
  })
  .refine((text) => !control.test(text), { error: 'must not contain control characters' })
const description = z.string().trim().max(2_000).nullable()
const neverRead = noStepUp('the value is written and never read; scripts that use it take their own proof')

export const secrets = {
  list: get('/secrets', {
    summary: 'List secrets of scripts, without their values',
    access: can('settings:read'),
    input: z.object({
      search: z.string().max(255).optional(),
      orgId: id().optional(),
      siteId: id().optional(),
      level: z.enum(['partner', 'organization', 'site']).optional(),
      ...page,
    }),
    output: pageOf(Secret),
  }),
  create: create('/secrets', {
    summary: 'Create a secret for a partner, an organization, or a site. Its value cannot be read',
    access: can('settings:write'),
    audit: 'secret.create',
    stepUp: neverRead,
    input: z.object({
      orgId: id().nullable().default(null),
      /** Implies the organization of the site. */
      siteId: id().nullable().default(null),
      partnerId: id().optional(),
      name: SecretName,
      value,
      description: description.default(null),
      sharedWithOrganizations: flag().default(false),
    }),
    output: Secret,
  }),
  update: patch('/secrets/:id', {
    summary: 'Update a secret, or replace its value',
    access: can('settings:write'),
    audit: 'secret.update',
    stepUp: neverRead,
    input: changes({ id: id() }, { name: SecretName, value, description, sharedWithOrganizations: flag() }),
    output: Secret,
  }),
  remove: del('/secrets/:id', {
    summary: 'Delete a secret. Scripts that need it no longer run where there is no other of its name',
    access: can('settings:write'),
    audit: 'secret.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
}
