import { get, limit, post } from '@muster/kit/contract.ts'
import {
  ChangedTask,
  StartedTask,
  TaskDetail,
  TaskList,
  TaskRuns,
  taskPath,
  taskRunsMax,
} from '@muster/wire/commands/tasks.ts'
import { z } from 'zod'
import { access, base, changing, device, own } from './device.contract.ts'

const one = z.object({ ...device, path: taskPath })

export const tasks = {
  list: get(`${base}/tasks`, {
    summary: 'Scheduled tasks of the device: timers, lines of cron, and the scripts that it runs daily and the like',
    access,
    ...own,
    input: z.object(device),
    output: TaskList,
  }),
  get: get(`${base}/tasks/:path`, {
    summary: 'One scheduled task; its path has to be encoded',
    access,
    ...own,
    input: one,
    output: TaskDetail,
  }),
  history: get(`${base}/tasks/:path/history`, {
    summary: 'When a scheduled task ran, newest first, as far as the device keeps account of it',
    access,
    ...own,
    input: one.extend({ limit: limit(taskRunsMax, 50) }),
    output: TaskRuns,
  }),
  run: post(`${base}/tasks/:path/run`, {
    summary: 'Run a scheduled task now',
    access,
    audit: 'device.task.run',
    ...changing,
    input: one,
    output: StartedTask,
  }),
  enable: post(`${base}/tasks/:path/enable`, {
    summary: 'Have a scheduled task run at its times again',
    access,
    audit: 'device.task.enable',
    ...changing,
    input: one,
    output: ChangedTask,
  }),
  disable: post(`${base}/tasks/:path/disable`, {
    summary: 'Keep a scheduled task from running at its times',
    access,
    audit: 'device.task.disable',
    ...changing,
    input: one,
    output: ChangedTask,
  }),
}
