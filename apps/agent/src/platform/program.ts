import { execFile } from 'node:child_process'
import { toolOutputBytesMax, toolTimeoutMs } from '../limits.ts'
import { ToolFailure } from '../tool-failure.ts'

const programTimeoutMs = 55_000

export interface ProgramResult {
  exitCode: number
  stdout: string
  stderr: string
}

type Environment = Readonly<Record<string, string>>

const utf8 = (output: Buffer): string => output.toString('utf8')

const optionsOf = (env: Environment, timeout: number) =>
  ({
    env,
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: toolOutputBytesMax,
    encoding: 'buffer',
    windowsHide: true,
  }) as const

/**
 * Runs a program with exactly these arguments, without a shell.
 * @param decode reads its output
 * @throws ToolFailure when it is not installed
 */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Environment,
  decode = utf8,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    execFile(program, args, optionsOf(env, programTimeoutMs), (error, stdout, stderr) => {
      const output = { stdout: decode(stdout), stderr: decode(stderr) }
      if (error === null) resolve({ exitCode: 0, ...output })
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, ...output })
      else if (error.code === 'ENOENT') reject(new ToolFailure('NOT_FOUND', `${program} is not installed`))
      else if (error.killed === true) reject(new ToolFailure('TIMED_OUT', `${program} took too long`))
      else reject(new ToolFailure('COMMAND_FAILED', error.message.slice(0, 500)))
    })
  })
}

/** The standard output of a program, undefined when it is missing, fails or takes too long. */
export async function outputOf(
  program: string,
  args: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, optionsOf(env, toolTimeoutMs), (error, stdout) =>
      resolve(error === null ? utf8(stdout) : undefined),
    )
  })
}
