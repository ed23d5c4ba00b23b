import {
  can,
  changes,
  create,
  del,
  flag,
  get,
  id,
  nameText,
  page,
  pageOf,
  patch,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'

export const CustomFieldType = z.enum(['text', 'number', 'boolean', 'time', 'choice'])
/** The value of a custom field. Null removes it. */
export const CustomValue = z.union([z.string().max(4_000), z.number(), z.boolean(), z.null()])

const key = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, { error: 'must be lower-case letters, digits and _, beginning with a letter' })
const label = nameText()
const description = z.string().max(2_000).nullable()
const options = z.array(nameText()).max(200)

/** A field that a tenant adds to its devices. Without an organization it applies to all devices of the partner. */
export const CustomField = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  key,
  label: z.string(),
  description,
  type: CustomFieldType,
  options: z.array(z.string()),
  required: z.boolean(),
  defaultValue: CustomValue,
  scriptWritable: z.boolean(),
  createdAt: time(),
  updatedAt: time(),
})
export type CustomField = z.infer<typeof CustomField>

const details = {
  label,
  description: description.default(null),
  options: options.default([]),
  required: flag().default(false),
}
const behaviour = { defaultValue: CustomValue.default(null), scriptWritable: flag().default(false) }

export const customFields = {
  list: get('/custom-fields', {
    summary: 'List custom fields',
    access: can('devices:read'),
    input: z.object({ orgId: id().optional(), ...page }),
    output: pageOf(CustomField),
  }),
  create: create('/custom-fields', {
    summary: 'Create a custom field for a partner or one organization',
    access: can('settings:write'),
    audit: 'custom_field.create',
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      key,
      type: CustomFieldType,
      ...details,
      ...behaviour,
    }),
    output: CustomField,
  }),
  get: get('/custom-fields/:id', {
    summary: 'Get a custom field',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: CustomField,
  }),
  update: patch('/custom-fields/:id', {
    summary: 'Update a custom field. Its key and type cannot change',
    access: can('settings:write'),
    audit: 'custom_field.update',
    input: changes(
      { id: id() },
      { label, description, options, required: flag(), defaultValue: CustomValue, scriptWritable: flag() },
    ),
    output: CustomField,
  }),
  remove: del('/custom-fields/:id', {
    summary: 'Delete a custom field and its values',
    access: can('settings:write'),
    audit: 'custom_field.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
  setValues: patch('/devices/:id/custom-fields', {
    summary: 'Set custom field values of a device. Null removes a value',
    access: can('devices:write'),
    audit: 'device.custom_fields.update',
    input: changes({ id: id() }, { values: z.record(key, CustomValue) }),
    output: z.object({ deviceId: id(), values: z.record(z.string(), CustomValue) }),
  }),
}
