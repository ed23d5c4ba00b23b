import type { Names } from '../files/describe-entry.ts'
import { type Mac, printed } from './mac.ts'

/** A list takes a program, so it is kept longer than on systems where it is a file. */
const keptMs = 30_000

export type NamesReader = () => Promise<Names>

/** Names of the local users and groups; a number without a name stays a number. */
export function namesOf(mac: Mac): NamesReader {
  let last: { at: number; names: Promise<Names> } | undefined
  return () => {
    const now = performance.now()
    if (last === undefined || now - last.at > keptMs) last = { at: now, names: read(mac) }
    return last.names
  }
}

async function read(mac: Mac): Promise<Names> {
  const [users, groups] = await Promise.all([
    printed(mac, 'dscl', ['.', '-list', '/Users', 'UniqueID']),
    printed(mac, 'dscl', ['.', '-list', '/Groups', 'PrimaryGroupID']),
  ])
  const [userNames, groupNames] = [byNumber(users), byNumber(groups)]
  return { user: (uid) => userNames.get(uid) ?? String(uid), group: (gid) => groupNames.get(gid) ?? String(gid) }
}

/** Two numbers may have the same name's place: the first one listed counts, as it does for the system. */
function byNumber(text: string): Map<number, string> {
  return new Map(
    parseList(text)
      .reverse()
      .map(({ name, value }) => [value, name.slice(0, 255)]),
  )
}

/** Lines of a name and a number from `dscl . -list`. The kernel shows negative numbers as large ones. */
export function parseList(text: string): { name: string; value: number }[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', number = ''] = /^(\S.*?)\s+(-?\d+)$/.exec(line.trim()) ?? []
    const value = Number(number)
    return name === '' ? [] : [{ name, value: value < 0 ? value + 2 ** 32 : value }]
  })
}
