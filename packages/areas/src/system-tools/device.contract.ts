// What the operations of this area share: they speak with one device while the request waits.
import { can, id } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const base = '/system-tools/devices/:deviceId'
export const device = { deviceId: id() }
/** Of what changes the device, where it has a body: for what reaches far, see the answer `confirm`. */
export const changing = { ...device, currentPassword: z.string().max(1_000).optional() }
/** No transaction is open while the device works. */
export const own = { transaction: 'own' } as const
export const access = can('devices:execute')
export const fileAccess = can('remote:access')
