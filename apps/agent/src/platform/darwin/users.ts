import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account, UserSystem } from '../posix/user-account.ts'
import { namesOf } from './accounts.ts'
import { type Mac, printed } from './mac.ts'

/** The users of a Mac. */
export const usersOf = (mac: Mac): UserSystem => ({
  account: (name) => accountOf(mac, name),
  signedIn: () => atScreen(mac),
})

/** Asks the directories in the order in which the system does, so that network accounts count. */
async function accountOf(mac: Mac, name: string): Promise<Account | undefined> {
  const keys = ['UniqueID', 'PrimaryGroupID', 'NFSHomeDirectory', 'UserShell']
  const record = parseRecord(await printed(mac, 'dscl', ['/Search', '-read', `/Users/${name}`, ...keys]))
  const [uid, gid] = [Number(record.get('UniqueID')), Number(record.get('PrimaryGroupID'))]
  if (!Number.isInteger(uid) || !Number.isInteger(gid)) return undefined
  return { name, uid, gid, home: record.get('NFSHomeDirectory') ?? '/', shell: record.get('UserShell') ?? '/bin/sh' }
}

/** The lines `Key: value` of `dscl -read`, and values on a line of their own, which are those with a blank. */
export const parseRecord = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^(\w+):\s+(\S.*)$/gm)].map(([, key = '', value = '']) => [key, value]))

/** The owner of the screen is the user who is signed in there. Without one it belongs to root. */
async function atScreen(mac: Mac): Promise<string | undefined> {
  const owner = await stat(join(mac.root, 'dev/console')).then(
    ({ uid }) => uid,
    () => 0,
  )
  if (owner === 0) return undefined
  const name = (await namesOf(mac)()).user(owner)
  return name === String(owner) ? undefined : name
}
