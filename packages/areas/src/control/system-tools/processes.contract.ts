import { get, post } from '@muster/kit/contract.ts'
import { KilledProcess, KillProcess, Process, ProcessDetail } from '@muster/wire/commands/processes.ts'
import { z } from 'zod'
import { access, base, changing, device, own } from './device.contract.ts'

const pid = z.coerce.number().int().min(1).max(4_194_304)
const { signal, startedAt } = KillProcess.shape

export const processes = {
  list: get(`${base}/processes`, {
    summary: 'Processes that run on the device now, by number',
    access,
    ...own,
    input: z.object({
      ...device,
      search: z.string().max(200).optional(),
      sort: z.enum(['pid', 'cpu', 'memory', 'name']).default('pid'),
    }),
    output: z.object({ processes: z.array(Process), truncated: z.boolean() }),
  }),
  get: get(`${base}/processes/:pid`, {
    summary: 'One process in full',
    access,
    ...own,
    input: z.object({ ...device, pid }),
    output: ProcessDetail,
  }),
  kill: post(`${base}/processes/:pid/kill`, {
    summary: 'Send a process a signal; `startedAt` makes sure that it is the one that was seen',
    access,
    audit: 'device.process.kill',
    ...changing,
    input: z.object({ ...device, pid, signal, startedAt }),
    output: KilledProcess,
  }),
}
