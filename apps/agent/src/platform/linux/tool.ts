import { execFile } from 'node:child_process'
import { toolOutputBytesMax, toolTimeoutMs } from '../../limits.ts'

/** The search path for system programs, independent of the environment of the agent. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The standard output of a system program, undefined when it is missing, fails or takes too long. */
export async function outputOf(program: string, args: readonly string[]): Promise<string | undefined> {
  const options = {
    env: { PATH: systemPath, LC_ALL: 'C' },
    timeout: toolTimeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: toolOutputBytesMax,
    encoding: 'utf8',
  } as const
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout : undefined))
  })
}
