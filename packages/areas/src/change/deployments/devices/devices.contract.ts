import { auditedWhen, can, csv, get, id, page, pageOf, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { farReach } from '../../../control/commands/commands.contract.ts'
import { approval } from '../course/course.contract.ts'
import { DeviceStatus } from '../deployments.contract.ts'

export const DeploymentDevice = z.object({
  deviceId: id(),
  hostname: z.string(),
  batch: z.number(),
  status: DeviceStatus,
  /** Why it is held, was skipped or expired. */
  reason: z.string().nullable(),
  /** How often it was sent the order. */
  attempt: z.number(),
  /** Of the last attempt. */
  commandId: id().nullable(),
  exitCode: z.number().nullable(),
  error: z.string().nullable(),
  updatedAt: time(),
})
export type DeploymentDevice = z.infer<typeof DeploymentDevice>

const one = { id: id() }

export const devices = {
  list: get('/deployments/:id/devices', {
    summary: 'List the devices of a deployment in the order of their turns',
    access: can('automations:read'),
    input: z.object({
      ...one,
      status: csv(DeviceStatus).optional(),
      batch: z.coerce.number().int().min(1).optional(),
      search: z.string().max(255).optional(),
      ...page,
    }),
    output: pageOf(DeploymentDevice),
  }),
  retry: post('/deployments/:id/devices/:deviceId/retry', {
    summary: 'Send the order again to a device that failed, was skipped or expired',
    access: can('automations:write'),
    audit: auditedWhen('it is sent again, or a second person is asked', 'deployment.retry', 'device.command.request'),
    stepUp: farReach,
    input: z.object({ ...one, deviceId: id() }),
    output: DeploymentDevice.extend({ approval }),
  }),
}
