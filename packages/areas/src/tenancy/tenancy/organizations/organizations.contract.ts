import {
  can,
  changes,
  create,
  del,
  get,
  id,
  jsonObject,
  moment,
  pageOf,
  patch,
  shortPage,
  stepUpWhen,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { cap, name, slug } from '../fields.contract.ts'

const type = z.enum(['customer', 'internal'])
const status = z.enum(['active', 'suspended', 'trial', 'churned'])

/** Settings of an organization. Keys are free-form, but those that Muster reads are validated. Null removes a key. */
const OrganizationSettings = jsonObject().and(
  z.object({
    security: z
      .looseObject({
        requireMfa: z.boolean().nullable().optional(),
        allowedMfaMethods: z.looseObject({ sms: z.boolean().nullable().optional() }).nullable().optional(),
      })
      .nullable()
      .optional(),
  }),
)

/** A customer or a department of one partner. */
export const Organization = z.object({
  id: id(),
  partnerId: id(),
  name: z.string(),
  slug: z.string(),
  type,
  status,
  maxDevices: z.number().nullable(),
  settings: jsonObject(),
  ssoConfig: jsonObject(),
  contractStart: time().nullable(),
  contractEnd: time().nullable(),
  billingContact: jsonObject(),
  createdAt: time(),
  updatedAt: time(),
  deletedAt: time().nullable(),
})
export type Organization = z.infer<typeof Organization>

const optional = {
  type,
  status,
  maxDevices: cap,
  settings: OrganizationSettings,
  ssoConfig: jsonObject(),
  contractStart: moment().nullable(),
  contractEnd: moment().nullable(),
  billingContact: jsonObject(),
}

export const organizations = {
  all: get('/orgs/', {
    summary: 'List all organizations that you can reach',
    access: can('organizations:read'),
    input: z.object({}),
    output: z.object({ data: z.array(Organization) }),
  }),
  list: get('/orgs/organizations', {
    summary: 'List organizations that you can reach, in pages',
    access: can('organizations:read', 'partner', 'system'),
    input: z.object({ partnerId: id().optional(), ...shortPage }),
    output: pageOf(Organization),
  }),
  create: create('/orgs/organizations', {
    summary: 'Create an organization for a partner',
    access: can('organizations:write', 'partner', 'system'),
    audit: 'organization.create',
    input: z.object({ partnerId: id().optional(), name, slug, ...z.object(optional).partial().shape }),
    output: Organization,
  }),
  get: get('/orgs/organizations/:id', {
    summary: 'Get an organization',
    access: can('organizations:read', 'partner', 'system'),
    input: z.object({ id: id() }),
    output: Organization,
  }),
  update: patch('/orgs/organizations/:id', {
    summary: 'Update an organization. Settings are merged; the partner cannot change',
    access: can('organizations:write', 'partner', 'system'),
    audit: 'organization.update',
    stepUp: stepUpWhen('the rules for second factors become weaker'),
    input: changes({ id: id() }, { name, slug, ...optional }),
    output: Organization,
  }),
  remove: del('/orgs/organizations/:id', {
    summary: 'Delete an organization. Its sites and data are kept but cannot be reached',
    access: can('organizations:delete', 'partner', 'system'),
    audit: 'organization.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
  order: patch('/orgs/organizations/order', {
    summary: 'Set the order in which the organizations of your partner are listed',
    access: can('organizations:write', 'partner'),
    audit: 'organization.order.update',
    input: z.object({ organizationOrder: z.array(z.string().max(64)).max(20_000) }),
    output: z.object({ organizationOrder: z.array(id()) }),
  }),
}
