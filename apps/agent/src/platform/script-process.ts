import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { RunningScript, ScriptEnd, ScriptStart } from './platform.ts'

/** Marks a script and all its child processes, so that they are found even when they leave its group or the agent dies. */
export const scriptMarker = 'MUSTER_COMMAND_ID'

type ScriptProcess = ChildProcessByStdio<Writable | null, Readable, Readable>

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
  /** What its standard input holds; without it there is none. */
  input?: string
  /** The exit code that the shells of the system report for a program that a signal ended. */
  exitCodeOf(signal: NodeJS.Signals): number | null
  /** Prepares the end of the script with all its child processes. */
  grip(child: ScriptProcess): Grip
}

/** Starts a script in an interpreter: output by pipes, no input, and only the environment that is given. */
export function spawnScript(start: ScriptStart, interpreter: Interpreter): RunningScript {
  const { program, args, environment } = interpreter
  const options = {
    cwd: start.workingDirectory,
    env: { ...environment, ...start.environment, [scriptMarker]: start.commandId },
    detached: interpreter.leadsGroup,
    windowsHide: true,
    windowsVerbatimArguments: interpreter.isVerbatim ?? false,
  }
  const child: ScriptProcess =
    interpreter.input === undefined
      ? spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  // It may end before it has read everything.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(interpreter.input)
  const grip = interpreter.grip(child)
  const ended = new Promise<ScriptEnd>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (exitCode, signal) => {
      grip.release?.()
      // Windows reports 32 bits without a sign; its shells show them with one, such as -1.
      const code = exitCode === null ? null : exitCode | 0
      resolve({ exitCode: code ?? (signal === null ? null : interpreter.exitCodeOf(signal)), signal })
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
