import { ToolFailure } from '../../tool-failure.ts'
import { type ProgramResult, runProgram } from '../program.ts'

/** Where system programs and files are. Tests give others. */
export interface Mac {
  /** Search path for system programs. Homebrew is not in it: its folders belong to a user. */
  readonly path: string
  /** The folder that stands for `/`. */
  readonly root: string
}

export const thisMac: Mac = { path: '/usr/bin:/bin:/usr/sbin:/sbin:/usr/libexec/ApplicationFirewall', root: '/' }

// Words and numbers as in C, texts in UTF-8, times in UTC.
export const programEnvironment = ({ path }: Mac) => ({ LANG: 'C', LC_CTYPE: 'UTF-8', TZ: 'UTC', PATH: path })

/** Runs a system program with exactly these arguments. @throws ToolFailure */
export async function run(mac: Mac, program: string, args: readonly string[]): Promise<ProgramResult> {
  try {
    return await runProgram(program, args, programEnvironment(mac))
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND')
      throw new ToolFailure('UNSUPPORTED_PLATFORM', `this Mac has no program ${program}`)
    throw error
  }
}

/** What a program prints, even when it ends with an error; empty when it is missing or takes too long. */
export async function printed(mac: Mac, program: string, args: readonly string[]): Promise<string> {
  return run(mac, program, args).then(
    ({ stdout }) => stdout,
    () => '',
  )
}

/** What a program prints. @throws ToolFailure with its own message when it fails */
export async function required(mac: Mac, program: string, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(mac, program, args)
  if (exitCode === 0) return stdout
  const words = stderr.trim() || stdout.trim() || `${program} ended with exit code ${exitCode}`
  throw new ToolFailure('COMMAND_FAILED', words.slice(0, 500))
}
