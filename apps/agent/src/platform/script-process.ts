import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { RunningScript, ScriptEnd, ScriptStart } from './platform.ts'

/** Marks a script and all its child processes, so that they are found even when they leave its group or the agent dies. */
export const scriptMarker = 'MUSTER_COMMAND_ID'

type ScriptProcess = ChildProcessByStdio<null, Readable, Readable>

/** How a system ends a script with all its child processes. */
export interface Grip extends Pick<RunningScript, 'terminate' | 'kill'> {
  /** Called when the script itself has ended. */
  release?(): void
}

/** How a system runs an interpreter. */
export interface Interpreter {
  program: string
  args: readonly string[]
  /** The environment without the script's own variables. */
  environment: Readonly<Record<string, string>>
  /** Whether it leads a session and process group of its own. */
  leadsGroup: boolean
  /** Whether the arguments are the rest of the command line as it is; Windows only. */
  isVerbatim?: boolean
  /** The exit code that the shells of the system report for a program that a signal ended. */
  exitCodeOf(signal: NodeJS.Signals): number | null
  /** Prepares the end of the script with all its child processes. */
  grip(child: ScriptProcess): Grip
}

/** Starts a script in an interpreter: output by pipes, no input, and only the environment that is given. */
export function spawnScript(start: ScriptStart, interpreter: Interpreter): RunningScript {
  const { program, args, environment } = interpreter
  const child = spawn(program, args, {
    cwd: start.workingDirectory,
    env: { ...environment, ...start.environment, [scriptMarker]: start.commandId },
    detached: interpreter.leadsGroup,
    windowsHide: true,
    windowsVerbatimArguments: interpreter.isVerbatim ?? false,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const grip = interpreter.grip(child)
  const ended = new Promise<ScriptEnd>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (exitCode, signal) => {
      grip.release?.()
      resolve({ exitCode: exitCode ?? (signal === null ? null : interpreter.exitCodeOf(signal)), signal })
    })
  })
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    terminate: () => grip.terminate(),
    kill: () => grip.kill(),
  }
}
