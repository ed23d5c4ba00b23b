import { spawn } from 'node:child_process'
import { failureOf } from '../../tool-failure.ts'
import type { CronTask } from './cron.ts'

export interface Account {
  user: string
  uid: number
  gid: number
  home: string
}

/** Runs a cron task as its user with a minimal environment; does not wait for its end. */
export async function runCronTask(
  { task, file, line }: CronTask,
  accountOf: (user: string) => Promise<Account>,
): Promise<void> {
  const { user, uid, gid, home } = await accountOf(task.user ?? 'root')
  // cron takes the text before the first percent sign as the command, and passes the rest to its standard input.
  const [program, args] =
    line === null
      ? [file, []]
      : ['/bin/sh', ['-c', (task.command ?? '').replace(/(?<!\\)%.*$/, '').replaceAll('\\%', '%')]]
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: home, LOGNAME: user, USER: user, SHELL: '/bin/sh' },
    detached: true,
    stdio: 'ignore',
    ...(process.getuid?.() === uid ? {} : { uid, gid }),
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(failureOf(error, task.name)))
  })
  child.unref()
}
