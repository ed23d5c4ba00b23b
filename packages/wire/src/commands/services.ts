import { z } from 'zod'
import { moment } from './fields.ts'

export const servicesShownMax = 5_000
/** With or without `.service`; names of Windows services may have spaces and letters of any script. */
export const serviceName = z
  .string()
  .max(255)
  .regex(/^[\p{L}\p{N}:_.@\\{][\p{L}\p{M}\p{N}:_.@\\ $#&+(){},;!%'=~^-]*$/u, { error: 'is not the name of a service' })

export const Service = z.object({
  name: z.string(),
  displayName: z.string().nullable(),
  /** For example `running`, `exited`, `inactive`, `failed`. */
  state: z.string(),
  /** For example `enabled`, `disabled`, `static`. */
  startup: z.string().nullable(),
})
export type Service = z.infer<typeof Service>

export const ListServices = z.object({})
export const ServiceList = z.object({ services: z.array(Service), truncated: z.boolean() })

export const GetService = z.object({ name: serviceName })
export const ServiceDetail = Service.extend({
  mainPid: z.number().nullable(),
  /** The last exit code or signal. */
  result: z.string().nullable(),
  restarts: z.number().nullable(),
  memoryBytes: z.number().nullable(),
  tasks: z.number().nullable(),
  activeSince: moment().nullable(),
  unitFile: z.string().nullable(),
  command: z.string().nullable(),
  user: z.string().nullable(),
  requires: z.array(z.string()),
  after: z.array(z.string()),
})
export type ServiceDetail = z.infer<typeof ServiceDetail>

export const ControlService = z.object({ name: serviceName })
export const ControlledService = z.object({ name: z.string(), state: z.string() })
