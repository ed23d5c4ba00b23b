import {
  ask,
  can,
  changes,
  create,
  del,
  get,
  id,
  limit,
  nameText,
  page,
  pageOf,
  patch,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { FilterExpression } from '../filter-language/filter.contract.ts'
import { FilterPreview } from '../filters/filters.contract.ts'

const name = nameText()
const description = z.string().max(2_000).nullable()
export const deviceIds = z.array(id()).min(1).max(1_000)
export const oneGroup = z.object({ id: id() })

/** A set of devices of an organization or site: static (chosen) or dynamic (by a filter). */
export const Group = z.object({
  id: id(),
  orgId: id(),
  siteId: id().nullable(),
  name: z.string(),
  description,
  type: z.enum(['static', 'dynamic']),
  filter: z.record(z.string(), z.json()).nullable(),
  deviceCount: z.number(),
  /** When the filter was last evaluated for all devices. */
  evaluatedAt: time().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type Group = z.infer<typeof Group>

export const groups = {
  list: get('/groups', {
    summary: 'List device groups',
    access: can('devices:read'),
    input: z.object({
      orgId: id().optional(),
      siteId: id().optional(),
      type: z.enum(['static', 'dynamic']).optional(),
      search: z.string().max(255).optional(),
      ...page,
    }),
    output: pageOf(Group),
  }),
  create: create('/groups', {
    summary: 'Create a group. With a filter, the group is dynamic and gets its members at once',
    access: can('devices:write'),
    audit: 'group.create',
    input: z.object({
      orgId: id(),
      siteId: id().nullable().default(null),
      name,
      description: description.default(null),
      type: z.enum(['static', 'dynamic']).optional(),
      filter: FilterExpression.optional(),
      deviceIds: deviceIds.optional(),
    }),
    output: Group,
  }),
  get: get('/groups/:id', { summary: 'Get a group', access: can('devices:read'), input: oneGroup, output: Group }),
  update: patch('/groups/:id', {
    summary: 'Update a group. A new filter applies at once',
    access: can('devices:write'),
    audit: 'group.update',
    input: changes({ id: id() }, { name, description, filter: FilterExpression }),
    output: Group,
  }),
  remove: del('/groups/:id', {
    summary: 'Delete a group. Its devices stay',
    access: can('devices:write'),
    audit: 'group.delete',
    input: oneGroup,
    output: success,
  }),
  preview: ask('/groups/:id/preview', {
    summary: 'Preview the devices that the filter of a dynamic group, or another filter, matches now',
    access: can('devices:read'),
    input: oneGroup.extend({ filter: FilterExpression.optional(), limit: limit(100, 20) }),
    output: FilterPreview,
  }),
}
