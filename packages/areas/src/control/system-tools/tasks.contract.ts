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
    summary:
      'List scheduled tasks of a device: systemd timers, cron lines and scripts in folders such as /etc/cron.daily',
    access,
    ...own,
    input: z.object(device),
    output: TaskList,
  }),
  get: get(`${base}/tasks/:path`, {
    summary: 'Get a scheduled task. Its path must be URL-encoded',
    access,
    ...own,
    input: one,
    output: TaskDetail,
  }),
  history: get(`${base}/tasks/:path/history`, {
    summary: 'List runs of a scheduled task, newest first, as far as the device records them',
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
    summary: 'Enable a scheduled task',
    access,
    audit: 'device.task.enable',
    ...changing,
    input: one,
    output: ChangedTask,
  }),
  disable: post(`${base}/tasks/:path/disable`, {
    summary: 'Disable a scheduled task',
    access,
    audit: 'device.task.disable',
    ...changing,
    input: one,
    output: ChangedTask,
  }),
}
