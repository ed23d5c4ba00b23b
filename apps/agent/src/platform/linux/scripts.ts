import { access, constants, readdir, readFile } from 'node:fs/promises'
import { constants as system, userInfo } from 'node:os'
import { join } from 'node:path'
import type { RunningScript, ScriptLanguage, ScriptStart } from '../platform.ts'
import { scriptMarker, spawnScript } from '../script-process.ts'
import { systemPath } from './tool.ts'

const interpreters: Record<ScriptLanguage, readonly string[]> = {
  bash: ['bash'],
  sh: ['sh'],
  python: ['python3', 'python'],
  powershell: ['pwsh'],
}

/** Starts a script as the leader of its own session and process group. */
export async function startScript(start: ScriptStart): Promise<RunningScript | undefined> {
  const program = await findInterpreter(interpreters[start.language])
  if (program === undefined) return undefined
  return spawnScript(start, {
    program,
    args: [start.file, ...start.args],
    environment: cleanEnvironment(),
    exitCodeOf: (signal) => 128 + system.signals[signal],
    grip({ pid }) {
      const signalGroup = (signal: NodeJS.Signals) => {
        if (pid !== undefined) signalProcess(-pid, signal)
      }
      return {
        terminate: () => signalGroup('SIGTERM'),
        kill() {
          signalGroup('SIGKILL')
          void endLeftovers(new Set([start.commandId]))
        },
      }
    },
  })
}

// Scripts do not inherit the agent's environment: it may hold an enrollment key.
function cleanEnvironment(): Record<string, string> {
  const user = userInfo()
  return {
    PATH: systemPath,
    HOME: user.homedir,
    USER: user.username,
    LOGNAME: user.username,
    SHELL: user.shell ?? '/bin/sh',
    LANG: 'C.UTF-8',
  }
}

async function findInterpreter(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    for (const folder of systemPath.split(':')) {
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

/** Kills every process that is marked with one of these commands. */
export async function endLeftovers(commandIds: ReadonlySet<string>): Promise<void> {
  if (commandIds.size === 0) return
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    // Processes of other users, and those that have just ended, cannot be read and are not ours.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    const id = environment.split('\0').find((entry) => entry.startsWith(`${scriptMarker}=`))
    if (id !== undefined && commandIds.has(id.slice(scriptMarker.length + 1))) signalProcess(pid, 'SIGKILL')
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}
