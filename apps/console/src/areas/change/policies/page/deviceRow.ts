import type { DeviceCompliance } from '@muster/areas/change/device-policies/compliance/compliance.contract.ts'
import type { z } from 'zod'

/** A device of a policy, as the list of its compliance shows it. */
export type DeviceRow = z.infer<typeof DeviceCompliance>
