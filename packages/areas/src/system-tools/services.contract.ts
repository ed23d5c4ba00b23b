import { get, post } from '@muster/kit/contract.ts'
import { ControlledService, Service, ServiceDetail, serviceName } from '@muster/wire/commands/services.ts'
import { z } from 'zod'
import { access, base, changing, device, own } from './device.contract.ts'

const named = z.object({ ...device, name: serviceName })
const controlled = named.extend(changing)

export const services = {
  list: get(`${base}/services`, {
    summary: 'Services of the device and how they stand',
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
    summary: 'One service in full',
    access,
    ...own,
    input: named,
    output: ServiceDetail,
  }),
  start: post(`${base}/services/:name/start`, {
    summary: 'Start a service',
    access,
    audit: 'device.service.start',
    ...own,
    input: controlled,
    output: ControlledService,
  }),
  stop: post(`${base}/services/:name/stop`, {
    summary: 'Stop a service',
    access,
    audit: 'device.service.stop',
    ...own,
    input: controlled,
    output: ControlledService,
  }),
  restart: post(`${base}/services/:name/restart`, {
    summary: 'Restart a service',
    access,
    audit: 'device.service.restart',
    ...own,
    input: controlled,
    output: ControlledService,
  }),
}
