import type { LocalUser } from '@muster/wire/messages/inventory.ts'
import { parseList } from '../accounts.ts'
import { type Mac, printed } from '../mac.ts'

const personUidMin = 500
const nobodyUid = 2 ** 32 - 2
const dayMs = 86_400_000

/** Accounts of people and root; service accounts have small numbers or begin with an underscore. */
export async function collectUsers(mac: Mac): Promise<LocalUser[]> {
  const accounts = parseList(await printed(mac, 'dscl', ['.', '-list', '/Users', 'UniqueID']))
  const admins = parseMembers(await printed(mac, 'dscl', ['.', '-read', '/Groups/admin', 'GroupMembership']))
  const present = parsePresent(await printed(mac, 'who', []))
  const logins = parseLogins(await printed(mac, 'last', []), new Date())
  return accounts.flatMap(({ name, value: uid }) => {
    if (name.startsWith('_') || (uid !== 0 && (uid < personUidMin || uid === nobodyUid))) return []
    return [
      {
        name: name.slice(0, 255),
        uid: String(uid),
        admin: uid === 0 || admins.has(name),
        loggedIn: present.has(name),
        lastLoginAt: logins.get(name),
      },
    ]
  })
}

/** `GroupMembership: root ann` */
export function parseMembers(text: string): Set<string> {
  return new Set((/^GroupMembership:([\s\S]*)/m.exec(text)?.[1] ?? '').split(/\s+/).filter(Boolean))
}

/** Names of `who`, at the console or in a terminal. */
export function parsePresent(text: string): Set<string> {
  return new Set(text.split('\n').flatMap((line) => /^(\S+)\s+(?:console|ttys\d+)\s/.exec(line)?.[1] ?? []))
}

/** The last login of each user from `last`, newest first. It prints no year: the latest one that is not in the future is used. */
export function parseLogins(text: string, now: Date): Map<string, number> {
  const logins = new Map<string, number>()
  for (const line of text.split('\n')) {
    const shape = /^(\S+)\s+(?:ttys\d+|console)\s.*?\b[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d)\b/
    const [, user, month, day, time] = shape.exec(line) ?? []
    if (user === undefined || logins.has(user)) continue
    const inYear = (year: number) => Date.parse(`${day} ${month} ${year} ${time} UTC`)
    const thisYear = inYear(now.getUTCFullYear())
    const at = thisYear > now.getTime() + dayMs ? inYear(now.getUTCFullYear() - 1) : thisYear
    if (Number.isFinite(at)) logins.set(user, at)
  }
  return logins
}
