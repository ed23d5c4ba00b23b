import { access, constants } from 'node:fs/promises'
import { constants as system, userInfo } from 'node:os'
import { join } from 'node:path'
import { ToolFailure } from '../../tool-failure.ts'
import type { Platform, RunningScript, ScriptLanguage, ScriptStart } from '../platform.ts'
import { spawnScript } from '../script-process.ts'

/** How a system of the Unix family runs scripts. */
export interface ScriptSystem {
  /** Its name, for messages. */
  readonly name: string
  /** The programs of a language, best first; a language that is missing here never runs on this system. */
  readonly interpreters: Partial<Record<ScriptLanguage, readonly string[]>>
  readonly path: string
  /** A locale with UTF-8 that is always there. */
  readonly locale: Readonly<Record<string, string>>
  readonly endLeftovers: Platform['endLeftovers']
}

/** Starts a script as the leader of its own session and process group. */
export async function startInGroup(start: ScriptStart, on: ScriptSystem): Promise<RunningScript | undefined> {
  const names = on.interpreters[start.language]
  if (names === undefined) throw new ToolFailure('UNSUPPORTED_PLATFORM', `${on.name} does not run ${start.language}`)
  const program = await findProgram(names, on.path)
  if (program === undefined) return undefined
  return spawnScript(start, {
    program,
    args: [start.file, ...start.args],
    environment: cleanEnvironment(on),
    leadsGroup: true,
    exitCodeOf: (signal) => 128 + system.signals[signal],
    grip({ pid }) {
      const signalGroup = (signal: NodeJS.Signals) => {
        if (pid !== undefined) signalProcess(-pid, signal)
      }
      return {
        terminate: () => signalGroup('SIGTERM'),
        kill() {
          signalGroup('SIGKILL')
          void on.endLeftovers(new Set([start.commandId]))
        },
      }
    },
  })
}

// Scripts do not inherit the agent's environment: it may hold an enrollment key.
function cleanEnvironment({ path, locale }: ScriptSystem): Record<string, string> {
  const user = userInfo()
  return {
    PATH: path,
    HOME: user.homedir,
    USER: user.username,
    LOGNAME: user.username,
    SHELL: user.shell ?? '/bin/sh',
    ...locale,
  }
}

/** The first of these programs in a search path. */
async function findProgram(names: readonly string[], searchPath: string): Promise<string | undefined> {
  for (const name of names) {
    for (const folder of searchPath.split(':')) {
      const path = join(folder, name)
      const found = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (found) return path
    }
  }
  return undefined
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}
