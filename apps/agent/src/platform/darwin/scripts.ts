import { type ScriptSystem, signalProcess } from '../posix/script-group.ts'
import { removeUserFolders } from '../posix/user-script.ts'
import { scriptMarker } from '../script-process.ts'
import { type Mac, printed, run } from './mac.ts'
import { usersOf } from './users.ts'

/** Where users install programs; scripts may use them, after those of the system. */
const installedPath = '/usr/local/bin:/opt/homebrew/bin'
const shimFolder = '/usr/bin'

/** How a Mac runs scripts. */
export function scriptSystemOf(mac: Mac): ScriptSystem {
  const path = `${mac.path}:${installedPath}`
  return {
    name: 'macOS',
    interpreters: {
      zsh: ['zsh'],
      bash: ['bash'],
      sh: ['sh'],
      python: ['python3'],
      osascript: ['osascript'],
      powershell: ['pwsh'],
    },
    async path(language) {
      if (language !== 'python' || (await hasDeveloperTools(mac))) return path
      // Without developer tools the system's python3 only opens a window that offers to install them.
      const folders = path.split(':').filter((folder) => folder !== shimFolder)
      return folders.join(':')
    },
    locale: { LANG: 'en_US.UTF-8' },
    users: usersOf(mac),
    async endLeftovers(commandIds) {
      if (commandIds.size === 0) return
      const list = await printed(mac, 'ps', ['-axwwE', '-o', 'pid=', '-o', 'command='])
      for (const pid of parseMarked(list, commandIds)) if (pid !== process.pid) signalProcess(pid, 'SIGKILL')
      await removeUserFolders(commandIds)
    },
  }
}

async function hasDeveloperTools(mac: Mac): Promise<boolean> {
  return run(mac, 'xcode-select', ['-p']).then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  )
}

/** Processes of `ps -E`, which prints the environment after the arguments, that are marked with one of these commands. */
export function parseMarked(text: string, commandIds: ReadonlySet<string>): number[] {
  return text.split('\n').flatMap((line) => {
    const [, pid = '', words = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? []
    const marks = words.matchAll(new RegExp(`(?:^|\\s)${scriptMarker}=(\\S+)`, 'g'))
    return [...marks].some(([, id = '']) => commandIds.has(id)) ? [Number(pid)] : []
  })
}
