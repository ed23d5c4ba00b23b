import { can, get, id, page, pageOf, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const InventorySection = z.enum([
  'hardware',
  'disks',
  'network',
  'software',
  'services',
  'users',
  'system',
  'drivers',
  'updates',
  'features',
])
const item = z.record(z.string(), z.json()).nullable()
export const InventoryChange = z.object({
  id: id(),
  at: time(),
  section: InventorySection,
  action: z.enum(['added', 'removed', 'changed']),
  name: z.string(),
  before: item,
  after: item,
})
export type InventoryChange = z.infer<typeof InventoryChange>

export const inventory = {
  changes: get('/devices/:id/inventory/changes', {
    summary: 'List inventory changes of a device, newest first',
    access: can('devices:read'),
    input: z.object({ id: id(), section: InventorySection.optional(), ...page }),
    output: pageOf(InventoryChange),
  }),
}
