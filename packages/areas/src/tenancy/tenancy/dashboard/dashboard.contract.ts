import { can, get, id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** Counts of devices that are not decommissioned. Each is in one state, so the states add up to the total. */
const Devices = z.object({
  total: z.number(),
  online: z.number(),
  offline: z.number(),
  updating: z.number(),
  provisioned: z.number(),
  quarantined: z.number(),
})
const Count = z.object({ name: z.string(), count: z.number() })

export const dashboard = {
  get: get('/partner/dashboard', {
    summary: 'Get an overview of the partner: its organizations and the status of their devices',
    access: can('organizations:read', 'partner'),
    input: z.object({}),
    output: z.object({
      partner: z.object({
        id: id(),
        name: z.string(),
        plan: z.string(),
        maxOrganizations: z.number().nullable(),
        maxDevices: z.number().nullable(),
      }),
      totals: z.object({
        organizations: z.number(),
        sites: z.number(),
        users: z.number(),
        pendingCommands: z.number(),
        devices: Devices,
      }),
      organizations: z.array(
        z.object({
          id: id(),
          name: z.string(),
          status: z.string(),
          maxDevices: z.number().nullable(),
          sites: z.number(),
          devices: Devices,
          lastSeenAt: time().nullable(),
        }),
      ),
      agentVersions: z.array(Count),
      operatingSystems: z.array(Count),
      at: time(),
    }),
  }),
}
