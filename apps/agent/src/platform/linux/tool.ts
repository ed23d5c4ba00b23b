import { outputOf as outputWith } from '../program.ts'

/** The search path for system programs, independent of the environment of the agent. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The standard output of a system program, undefined when it is missing, fails or takes too long. */
export const outputOf = (program: string, args: readonly string[]): Promise<string | undefined> =>
  outputWith(program, args, { PATH: systemPath, LC_ALL: 'C' })
