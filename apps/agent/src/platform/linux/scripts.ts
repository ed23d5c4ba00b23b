import { readdir, readFile } from 'node:fs/promises'
import type { RunningScript, ScriptStart } from '../platform.ts'
import { type ScriptSystem, signalProcess, startInGroup } from '../posix/script-group.ts'
import { removeUserFolders } from '../posix/user-script.ts'
import { scriptMarker } from '../script-process.ts'
import { systemPath } from './tool.ts'
import { linuxUsers } from './users.ts'

export const scriptSystem: ScriptSystem = {
  name: 'Linux',
  interpreters: {
    bash: ['bash'],
    sh: ['sh'],
    zsh: ['zsh'],
    python: ['python3', 'python'],
    powershell: ['pwsh'],
  },
  path: async () => systemPath,
  locale: { LANG: 'C.UTF-8' },
  users: linuxUsers,
  endLeftovers,
}

export const startScript = (start: ScriptStart): Promise<RunningScript | undefined> => startInGroup(start, scriptSystem)

/** Kills every process that is marked with one of these commands, and removes the folders of their scripts. */
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
  await removeUserFolders(commandIds)
}
