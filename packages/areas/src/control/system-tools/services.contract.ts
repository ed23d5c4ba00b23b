import { get, post } from '@muster/kit/contract.ts'
import { ControlledService, Service, ServiceDetail, serviceName } from '@muster/wire/commands/services.ts'
import { z } from 'zod'
import { access, base, changing, device, own } from './device.contract.ts'

const named = z.object({ ...device, name: serviceName })

export const services = {
  list: get(`${base}/services`, {
    summary: 'List services of a device with their states',
    access,
    ...own,
    input: z.object({
      ...device,
      search: z.string().max(200).optional(),
      state: z.string().max(32).optional(),
    }),
    output: z.object({ services: z.array(Service), truncated: z.boolean() }),
  }),
  get: get(`${base}/services/:name`, {
    summary: 'Get a service with all details',
    access,
    ...own,
    input: named,
    output: ServiceDetail,
  }),
  start: post(`${base}/services/:name/start`, {
    summary: 'Start a service',
    access,
    audit: 'device.service.start',
    ...changing,
    input: named,
    output: ControlledService,
  }),
  stop: post(`${base}/services/:name/stop`, {
    summary: 'Stop a service',
    access,
    audit: 'device.service.stop',
    ...changing,
    input: named,
    output: ControlledService,
  }),
  restart: post(`${base}/services/:name/restart`, {
    summary: 'Restart a service',
    access,
    audit: 'device.service.restart',
    ...changing,
    input: named,
    output: ControlledService,
  }),
}
