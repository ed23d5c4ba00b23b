import { z } from 'zod'

export const RefreshInventory = z.object({})
export const RefreshInventoryResult = z.object({ hash: z.string(), counts: z.record(z.string(), z.number()) })

export const SetAutoUpdate = z.object({ enabled: z.boolean() })
export const SetAutoUpdateResult = z.object({ enabled: z.boolean() })
