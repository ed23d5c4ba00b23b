import { get, post } from '@muster/kit/contract.ts'
import { KilledProcess, KillProcess, Process, ProcessDetail } from '@muster/wire/commands/processes.ts'
import { z } from 'zod'
import { access, base, changing, device, own } from './device.contract.ts'

const { signal, startedAt } = KillProcess.shape
/** In a path it is text. */
const pid = z.preprocess(
  (given) => (typeof given === 'string' && /^\d{1,10}$/.test(given) ? Number(given) : given),
  KillProcess.shape.pid,
)

export const processes = {
  list: get(`${base}/processes`, {
    summary: 'List running processes of a device by PID',
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
    summary: 'Get a process with all details',
    access,
    ...own,
    input: z.object({ ...device, pid }),
    output: ProcessDetail,
  }),
  kill: post(`${base}/processes/:pid/kill`, {
    summary: 'Send a signal to a process. `startedAt` protects against a reused PID',
    access,
    audit: 'device.process.kill',
    ...changing,
    input: z.object({ ...device, pid, signal, startedAt }),
    output: KilledProcess,
  }),
}
