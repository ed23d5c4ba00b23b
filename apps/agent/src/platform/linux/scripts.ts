import { readdir, readFile } from 'node:fs/promises'
import type { RunningScript, ScriptStart } from '../platform.ts'
import { type ScriptSystem, signalProcess, startInGroup } from '../posix/script-group.ts'
import { scriptMarker } from '../script-process.ts'
import { systemPath } from './tool.ts'

const system: ScriptSystem = {
  name: 'Linux',
  interpreters: {
    bash: ['bash'],
    sh: ['sh'],
    zsh: ['zsh'],
    python: ['python3', 'python'],
    powershell: ['pwsh'],
  },
  path: systemPath,
  locale: { LANG: 'C.UTF-8' },
  endLeftovers,
}

export const startScript = (start: ScriptStart): Promise<RunningScript | undefined> => startInGroup(start, system)

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
