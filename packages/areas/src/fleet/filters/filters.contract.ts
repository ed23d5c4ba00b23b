import {
  ask,
  can,
  changes,
  create,
  del,
  flag,
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
import { Device, DeviceSort } from '../devices/devices.contract.ts'
import { FilterExpression } from '../filter-language/filter.contract.ts'

const name = nameText()
const description = z.string().max(2_000).nullable()

const columnsMax = 60
const columnName = z
  .string()
  .max(100)
  .regex(/^[a-zA-Z][\w.-]*$/, { error: 'must be the name of a column' })

/** How the console shows the filtered list. Columns are field names in display order. */
export const View = z.strictObject({
  columns: z
    .array(columnName)
    .min(1)
    .max(columnsMax)
    .refine((names) => new Set(names).size === names.length, { error: 'must not name a column twice' }),
  sort: DeviceSort.default('hostname'),
  sortDir: z.enum(['asc', 'desc']).default('asc'),
})
export type View = z.infer<typeof View>

/** A saved filter with a name, private or shared within its tenant. */
export const SavedFilter = z.object({
  id: id(),
  partnerId: id().nullable(),
  orgId: id().nullable(),
  ownerId: id(),
  name: z.string(),
  description,
  filter: z.record(z.string(), z.json()),
  /** Null for a filter without a view. */
  view: View.nullable(),
  shared: z.boolean(),
  createdAt: time(),
  updatedAt: time(),
})
export type SavedFilter = z.infer<typeof SavedFilter>

/** The devices that a filter matches now: their number, and the first ones by host name. */
export const FilterPreview = z.object({ total: z.number(), devices: z.array(Device), limit: z.number() })

export const filters = {
  fields: get('/filters/fields', {
    summary: 'List the fields of device filters with their operators',
    access: can('devices:read'),
    input: z.object({}),
    output: z.object({
      fields: z.array(
        z.object({
          name: z.string(),
          label: z.string(),
          type: z.string(),
          operators: z.array(z.string()),
          values: z.array(z.string()).nullable(),
        }),
      ),
    }),
  }),
  preview: ask('/filters/preview', {
    summary: 'Preview the devices that a filter matches, without saving it',
    access: can('devices:read'),
    input: z.object({ filter: FilterExpression, orgId: id().optional(), limit: limit(100, 20) }),
    output: FilterPreview,
  }),
  list: get('/filters', {
    summary: 'List your saved filters and those shared with you',
    access: can('devices:read'),
    input: z.object({
      search: z.string().max(255).optional(),
      /** Only filters with a view, or only those without. */
      hasView: flag().optional(),
      ...page,
    }),
    output: pageOf(SavedFilter),
  }),
  create: create('/filters', {
    summary: 'Create a saved filter, optionally with a view',
    access: can('devices:read'),
    audit: 'filter.create',
    input: z.object({
      name,
      description: description.default(null),
      filter: FilterExpression,
      view: View.nullable().default(null),
      shared: flag().default(false),
      orgId: id().optional(),
    }),
    output: SavedFilter,
  }),
  get: get('/filters/:id', {
    summary: 'Get a saved filter',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: SavedFilter,
  }),
  update: patch('/filters/:id', {
    summary: 'Update one of your saved filters',
    access: can('devices:read'),
    audit: 'filter.update',
    input: changes(
      { id: id() },
      { name, description, filter: FilterExpression, view: View.nullable(), shared: flag() },
    ),
    output: SavedFilter,
  }),
  remove: del('/filters/:id', {
    summary: 'Delete one of your saved filters',
    access: can('devices:read'),
    audit: 'filter.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
  previewSaved: ask('/filters/:id/preview', {
    summary: 'Preview the devices that a saved filter matches now',
    access: can('devices:read'),
    input: z.object({ id: id(), limit: limit(100, 20) }),
    output: FilterPreview,
  }),
}
