import { z } from 'zod'
import { moment } from './fields.ts'

export const processesMax = 5_000
/** Windows has larger numbers than Linux. */
const pid = z.int().min(1).max(2_147_483_647)

export const Process = z.object({
  pid: z.number(),
  parentPid: z.number(),
  name: z.string(),
  /** With its arguments, cut off when long; empty for threads of the kernel. */
  command: z.string(),
  user: z.string(),
  /** One letter, as the operating system shows it: R running, S sleeping, D waiting for a disk, Z ended. */
  state: z.string(),
  /** Percent of one processor since the previous reading, else over the process's life. */
  cpuPercent: z.number(),
  memoryBytes: z.number(),
  threads: z.number(),
  startedAt: moment(),
})
export type Process = z.infer<typeof Process>

export const ListProcesses = z.object({})
export const ProcessList = z.object({ processes: z.array(Process), truncated: z.boolean() })

export const GetProcess = z.object({ pid })
export const ProcessDetail = Process.extend({
  executable: z.string().nullable(),
  workingDirectory: z.string().nullable(),
  group: z.string().nullable(),
  nice: z.number(),
  virtualBytes: z.number(),
  /** Null when only the process's owner can read it. */
  openFiles: z.number().nullable(),
  readBytes: z.number().nullable(),
  writtenBytes: z.number().nullable(),
  controlGroup: z.string().nullable(),
  children: z.array(z.number()),
})
export type ProcessDetail = z.infer<typeof ProcessDetail>

export const KillProcess = z.object({
  pid,
  signal: z.enum(['TERM', 'KILL', 'INT', 'HUP', 'QUIT', 'STOP', 'CONT', 'USR1', 'USR2']).default('TERM'),
  /** Start time of the intended process: refused when the PID now belongs to another one. */
  startedAt: moment().optional(),
})
export const KilledProcess = z.object({ pid: z.number(), name: z.string(), signal: z.string(), ended: z.boolean() })
