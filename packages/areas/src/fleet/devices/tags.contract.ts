import { can, csv, get, id, nameText, page, pageOf, post } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Device } from './devices.contract.ts'

export const tagCharsMax = 100
/** Of one device. */
export const tagsMax = 50
/** A free label. Comparison is exact. */
export const Tag = nameText(tagCharsMax)
const tagList = z.array(Tag).max(tagsMax)

export const tags = {
  list: get('/tags', {
    summary: 'List tags with their number of devices',
    access: can('devices:read'),
    input: z.object({ orgId: id().optional(), search: z.string().max(100).optional(), ...page }),
    output: pageOf(z.object({ tag: z.string(), deviceCount: z.number() })),
  }),
  devices: get('/tags/devices', {
    summary: 'List devices that have any or all of the tags',
    access: can('devices:read'),
    input: z.object({
      tag: Tag.optional(),
      tags: csv(Tag, 50).optional(),
      match: z.enum(['any', 'all']).default('any'),
      ...page,
    }),
    output: pageOf(Device),
  }),
  assign: post('/tags/devices', {
    summary: 'Add tags to devices and remove tags from them',
    access: can('devices:write'),
    audit: 'device.tags.update',
    input: z.object({
      deviceIds: z.array(id()).min(1).max(1_000),
      add: tagList.default([]),
      remove: tagList.default([]),
    }),
    output: z.object({ updated: z.array(id()), skipped: z.array(z.object({ deviceId: id(), reason: z.string() })) }),
  }),
}
