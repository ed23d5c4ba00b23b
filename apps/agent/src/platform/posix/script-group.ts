import { access, constants } from 'node:fs/promises'
import { constants as system, userInfo } from 'node:os'
import { join } from 'node:path'
import { ToolFailure } from '../../tool-failure.ts'
import type { Platform, RunningScript, ScriptLanguage, ScriptStart } from '../platform.ts'
import { type Interpreter, spawnScript } from '../script-process.ts'
import { type Account, otherAccountFor, type UserSystem } from './user-account.ts'
import { startAsUser } from './user-script.ts'

/** How a system of the Unix family runs scripts. */
export interface ScriptSystem {
  /** Its name, for messages. */
  readonly name: string
  /** The programs of a language, best first; a language that is missing here never runs on this system. */
  readonly interpreters: Partial<Record<ScriptLanguage, readonly string[]>>
  /** The search path for the programs of a language, and of its scripts. */
  path(language: ScriptLanguage): Promise<string>
  /** A locale with UTF-8 that is always there. */
  readonly locale: Readonly<Record<string, string>>
  readonly users: UserSystem
  readonly endLeftovers: Platform['endLeftovers']
}

/** Starts a script as the leader of its own session and process group. */
export async function startInGroup(start: ScriptStart, on: ScriptSystem): Promise<RunningScript | undefined> {
  const names = on.interpreters[start.language]
  if (names === undefined) throw new ToolFailure('UNSUPPORTED_PLATFORM', `${on.name} does not run ${start.language}`)
  const path = await on.path(start.language)
  const program = await findProgram(names, path)
  if (program === undefined) return undefined
  const account = await otherAccountFor(start, on.users)
  const interpreter: Interpreter = {
    program,
    args: [start.file, ...start.args],
    environment: cleanEnvironment(path, on.locale, account),
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
  }
  return account === undefined ? spawnScript(start, interpreter) : startAsUser(start, account, interpreter)
}

/** The interpreter of a language: null if the system never has one, undefined if it is not installed. */
export function findInterpreter(on: ScriptSystem, language: ScriptLanguage): Promise<string | undefined> | null {
  const names = on.interpreters[language]
  return names === undefined ? null : on.path(language).then((path) => findProgram(names, path))
}

// Scripts do not inherit the agent's environment: it may hold an enrollment key.
function cleanEnvironment(
  path: string,
  locale: ScriptSystem['locale'],
  account: Account | undefined,
): Record<string, string> {
  const own = userInfo()
  const user = account ?? { name: own.username, home: own.homedir, shell: own.shell ?? '/bin/sh' }
  return { PATH: path, HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: user.shell, ...locale }
}

/** The first of these programs in a search path. */
export async function findProgram(names: readonly string[], searchPath: string): Promise<string | undefined> {
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
