// Shared by the operations of this area: each sends a request to one device and waits for the reply.
import { can, id } from '@muster/kit/contract.ts'
import { farReach } from '../commands/commands.contract.ts'

export const base = '/system-tools/devices/:deviceId'
export const device = { deviceId: id() }
/** No transaction is open while the device works. */
export const own = { transaction: 'own', refuses: [409, 422, 504] } as const
/** For operations that change the device. */
export const changing = { ...own, stepUp: farReach } as const
export const access = can('devices:execute')
export const fileAccess = can('remote:access')
