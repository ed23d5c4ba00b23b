import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, accountIn, type UserSystem } from '../posix/user-account.ts'
import { outputOf } from './tool.ts'

/** Where systemd-logind notes the sessions of users. Tests give others. */
const sessionsFolder = '/run/systemd/sessions'

/** Finds users by the name services of the machine, so that those of a directory count. */
async function account(name: string): Promise<Account | undefined> {
  const found = await outputOf('getent', ['passwd', '--', name])
  const lines = (found ?? (await readFile('/etc/passwd', 'utf8').catch(() => ''))).split('\n')
  return lines.map((line) => accountIn(line, name)).find((each) => each !== undefined)
}

export const usersOf = (sessions: string): UserSystem => ({
  account,
  signedIn: async () => (await inSession(sessions)) ?? inTerminal((await outputOf('who', [])) ?? ''),
})

export const linuxUsers: UserSystem = usersOf(sessionsFolder)

/** The user of an active session: one with a screen before one over the network, the newest of several. */
async function inSession(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
  const sessions = texts
    .map(fieldsIn)
    .filter(({ CLASS, STATE, USER }) => CLASS === 'user' && STATE === 'active' && USER)
  const newest = (one: Fields, other: Fields) => Number(other.REALTIME ?? 0) - Number(one.REALTIME ?? 0)
  const [best] = sessions.sort((one, other) => Number(!one.SEAT) - Number(!other.SEAT) || newest(one, other))
  return best?.USER
}

type Fields = Readonly<Record<string, string | undefined>>

/** The lines `NAME=value` of a text. */
const fieldsIn = (text: string): Fields =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

/** The user of the last line of `who`, the newest terminal. */
export const inTerminal = (text: string): string | undefined => /^(\S+)/.exec(text.trim().split('\n').at(-1) ?? '')?.[1]
