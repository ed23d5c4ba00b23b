import { readFile } from 'node:fs/promises'
import type { Names } from '../files/describe-entry.ts'

const keptMs = 5_000

let last: { at: number; names: Promise<Names> } | undefined

/** Cached for a few seconds: a list of processes needs the names for each of them. */
export function accountNames(): Promise<Names> {
  const now = performance.now()
  if (last === undefined || now - last.at > keptMs) last = { at: now, names: read() }
  return last.names
}

async function read(): Promise<Names> {
  const [users, groups] = await Promise.all([numbered('/etc/passwd'), numbered('/etc/group')])
  return { user: (uid) => users.get(uid) ?? String(uid), group: (gid) => groups.get(gid) ?? String(gid) }
}

async function numbered(file: string): Promise<Map<number, string>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return new Map(
    text.split('\n').flatMap((line) => {
      const [name, , number] = line.split(':')
      return name && number ? [[Number(number), name.slice(0, 255)] as const] : []
    }),
  )
}
