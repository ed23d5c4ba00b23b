import type { LocalUser } from '@muster/wire/messages/inventory.ts'
import { activeSessions } from '../calls/sessions.ts'
import { accountName, u32Buffer } from '../native/accounts.ts'
import { type Handle, memoryAt, wideTextAt } from '../native/koffi.ts'
import { type Layout, wide } from '../native/layout.ts'
import { enumerateUsers, freeNet, GroupMember, groupMembers, UserInfo } from '../native/sessions-api.ts'

const normalAccounts = 2
const usersLevel = 20
const membersLevel = 1
const disabled = 2
const wholeList = 0xffff_ffff
const administrators = 'S-1-5-32-544'

/** Local accounts that can sign in. May ask a domain controller for the names of administrators. */
export function listUsers(): LocalUser[] {
  const admins = new Set(administratorNames())
  const signedIn = new Set(activeSessions().map(({ user }) => user.toLowerCase()))
  return usersOfMachine().map(({ name, rid }) => ({
    name,
    uid: String(rid),
    admin: admins.has(name.toLowerCase()),
    loggedIn: signedIn.has(name.toLowerCase()),
  }))
}

function usersOfMachine(): { name: string; rid: number }[] {
  const users = listOf(
    UserInfo,
    (list, read, total) => enumerateUsers(null, usersLevel, normalAccounts, list, wholeList, read, total, u32Buffer()),
    ({ name, rid, flags }) => ({ name: wideTextAt(name).slice(0, 255), rid, flags }),
  )
  return users.filter(({ flags }) => (flags & disabled) === 0)
}

/** The group has another name in each language of Windows. */
function administratorNames(): string[] {
  const group = accountName(administrators).replace(/^.*\\/, '')
  return listOf(
    GroupMember,
    (list, read, total) => groupMembers(null, wide(group), membersLevel, list, wholeList, read, total, u32Buffer()),
    ({ name }) => wideTextAt(name).toLowerCase(),
  )
}

/** A list that the API allocates, read before it is freed. Empty when the call fails: the rest of the inventory is of use. */
function listOf<T, R>(
  layout: Layout<T>,
  ask: (list: Buffer, read: Buffer, total: Buffer) => number,
  read: (entry: T) => R,
): R[] {
  const [list, count] = [Buffer.alloc(8), u32Buffer()]
  const code = ask(list, count, u32Buffer())
  const address = list.readBigUInt64LE()
  try {
    return code === 0 ? entriesAt(layout, address, count.readUInt32LE()).map(read) : []
  } finally {
    if (address !== 0n) freeNet(address)
  }
}

function entriesAt<T>(layout: Layout<T>, address: Handle, count: number): T[] {
  if (count === 0) return []
  const memory = memoryAt(address, count * layout.size)
  return Array.from({ length: count }, (_, index) => layout.read(memory, index * layout.size))
}
