import {
  can,
  changes,
  create,
  del,
  get,
  id,
  jsonObject,
  pageOf,
  patch,
  shortPage,
  signedIn,
  stepUpWhen,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { cap, name, slug } from '../fields.contract.ts'
import { PartnerSettings } from './partner-settings.contract.ts'

const type = z.enum(['msp', 'enterprise', 'internal'])
const plan = z.enum(['free', 'starter', 'community', 'pro', 'enterprise', 'unlimited'])
const status = z.enum(['pending', 'active', 'suspended', 'churned'])
const billingEmail = z.email().max(255).nullable()

/** A top-level tenant: an IT provider, a company's IT department or an internal team. */
export const Partner = z.object({
  id: id(),
  name: z.string(),
  slug: z.string(),
  type,
  plan,
  status,
  maxOrganizations: z.number().nullable(),
  maxDevices: z.number().nullable(),
  settings: jsonObject(),
  ssoConfig: jsonObject(),
  billingEmail: z.string().nullable(),
  createdAt: time(),
  updatedAt: time(),
  deletedAt: time().nullable(),
})
export type Partner = z.infer<typeof Partner>

const optional = {
  type,
  plan,
  status,
  maxOrganizations: cap,
  maxDevices: cap,
  billingEmail,
  settings: PartnerSettings,
  ssoConfig: jsonObject(),
}

export const partners = {
  list: get('/orgs/partners', {
    summary: 'List partners',
    access: can('organizations:read', 'system'),
    input: z.object(shortPage),
    output: pageOf(Partner),
  }),
  create: create('/orgs/partners', {
    summary: 'Create a partner',
    access: can('organizations:write', 'system'),
    audit: 'partner.create',
    input: z.object({ name, slug, ...z.object(optional).partial().shape }),
    output: Partner,
  }),
  get: get('/orgs/partners/:id', {
    summary: 'Get a partner',
    access: can('organizations:read', 'system'),
    input: z.object({ id: id() }),
    output: Partner,
  }),
  update: patch('/orgs/partners/:id', {
    summary: 'Update a partner. Settings are merged',
    access: can('organizations:write', 'system'),
    audit: 'partner.update',
    stepUp: stepUpWhen('the status changes'),
    input: changes({ id: id() }, { name, slug, ...optional }),
    output: Partner,
  }),
  remove: del('/orgs/partners/:id', {
    summary: 'Delete a partner. Its data is kept but cannot be reached',
    access: can('organizations:delete', 'system'),
    audit: 'partner.delete',
    stepUp: 'always',
    input: z.object({ id: id() }),
    output: success,
  }),
  me: get('/orgs/partners/me', {
    summary: 'Get your own partner',
    access: signedIn({ scopes: ['partner'] }),
    input: z.object({}),
    output: Partner,
  }),
  updateMe: patch('/orgs/partners/me', {
    summary: 'Update your own partner. Settings are merged',
    access: can('settings:write', 'partner'),
    audit: 'partner.settings.update',
    input: changes({}, { name, billingEmail, settings: PartnerSettings }),
    output: Partner,
  }),
}
