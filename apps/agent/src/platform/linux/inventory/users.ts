import { readFile } from 'node:fs/promises'
import type { LocalUser } from '@muster/wire/messages/inventory.ts'

const adminGroups = new Set(['sudo', 'wheel', 'admin', 'root'])
const personUidMin = 1000
const nobodyUid = 65_534

/** Accounts of people and root; service accounts of packages are excluded. */
export async function collectUsers(): Promise<LocalUser[]> {
  const [accounts, groups] = await Promise.all(
    ['/etc/passwd', '/etc/group'].map((path) => readFile(path, 'utf8').catch(() => '')),
  )
  return parseUsers(accounts ?? '', groups ?? '')
}

export function parseUsers(accounts: string, groups: string): LocalUser[] {
  const admins = new Set<string>()
  const adminGroupIds = new Set<string>()
  for (const line of groups.split('\n')) {
    const [group, , groupId, members] = line.split(':')
    if (group === undefined || groupId === undefined || !adminGroups.has(group)) continue
    adminGroupIds.add(groupId)
    for (const member of (members ?? '').split(',')) admins.add(member)
  }
  return accounts.split('\n').flatMap((line) => {
    const [name, , uid, groupId] = line.split(':')
    const id = Number(uid)
    const loginable = id === 0 || (id >= personUidMin && id !== nobodyUid)
    if (!name || !uid || !loginable) return []
    const admin = id === 0 || admins.has(name) || adminGroupIds.has(groupId ?? '')
    return [{ name: name.slice(0, 255), uid: uid.slice(0, 128), admin }]
  })
}
