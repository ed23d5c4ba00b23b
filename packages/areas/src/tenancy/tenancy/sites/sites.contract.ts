import {
  can,
  changes,
  create,
  del,
  get,
  id,
  isTimezone,
  jsonObject,
  nameText,
  noStepUp,
  pageOf,
  patch,
  shortPage,
  success,
  time,
  timezoneName,
} from '@muster/kit/contract.ts'
import { z } from 'zod'

const timezone = z.string().max(50).refine(isTimezone, { error: 'must be an IANA timezone' }).transform(timezoneName)
const name = nameText()

/** A physical or logical location inside an organization. */
export const Site = z.object({
  id: id(),
  orgId: id(),
  name: z.string(),
  address: jsonObject(),
  timezone: z.string(),
  contact: jsonObject(),
  settings: jsonObject(),
  createdAt: time(),
  updatedAt: time(),
})
export type Site = z.infer<typeof Site>

const hiddenAs = 403
const details = { address: jsonObject(), contact: jsonObject(), settings: jsonObject() }

export const sites = {
  list: get('/orgs/sites', {
    summary: 'List sites of the organizations that you can reach',
    access: can('sites:read'),
    input: z.object({ orgId: id().optional(), organizationId: id().optional(), ...shortPage }),
    output: pageOf(Site),
    hiddenAs,
  }),
  get: get('/orgs/sites/:id', {
    summary: 'Get a site',
    access: can('sites:read'),
    input: z.object({ id: id() }),
    output: Site,
    hiddenAs,
  }),
  create: create('/orgs/sites', {
    summary: 'Create a site in an organization',
    access: can('sites:write'),
    audit: 'site.create',
    input: z.object({ orgId: id(), name, timezone: timezone.default('UTC'), ...z.object(details).partial().shape }),
    output: Site,
    hiddenAs,
  }),
  update: patch('/orgs/sites/:id', {
    summary: 'Update a site',
    access: can('sites:write'),
    audit: 'site.update',
    input: changes({ id: id() }, { name, timezone, ...details }),
    output: Site,
    hiddenAs,
  }),
  remove: del('/orgs/sites/:id', {
    summary: 'Delete a site permanently',
    access: can('sites:delete'),
    audit: 'site.delete',
    stepUp: noStepUp('its enrollment keys only lose uses and time'),
    input: z.object({ id: id() }),
    output: success,
    hiddenAs,
  }),
}
