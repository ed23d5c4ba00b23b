import { must } from './errors.ts'
import { closeHandle } from './kernel32.ts'
import { type Handle, wideTextAt } from './koffi.ts'
import { textAt, wide } from './layout.ts'
import {
  checkMembership,
  getCurrentProcess,
  getTokenInformation,
  localFree,
  lookupAccount,
  openProcessToken,
  sidToText,
  TokenUser,
  textToSid,
  tokenRights,
  tokenUserInformation,
} from './security-api.ts'

const nameChars = 512

/** Names of accounts by SID: a lookup may ask a domain controller. */
const names = new Map<string, string>()
const namesKept = 1_000

/** The SID of the user that a process runs as; undefined when it cannot be read. */
export function sidOfProcess(process: Handle): string | undefined {
  const token = Buffer.alloc(8)
  if (openProcessToken(process, tokenRights.query, token) === 0) return undefined
  const handle = token.readBigInt64LE()
  try {
    return sidOfToken(handle)
  } finally {
    closeHandle(handle)
  }
}

/** The SID of the user of a token; undefined when it cannot be read. */
export function sidOfToken(token: Handle): string | undefined {
  const user = Buffer.alloc(256)
  if (getTokenInformation(token, tokenUserInformation, user, user.length, Buffer.alloc(4)) === 0) return undefined
  return sidText(TokenUser.read(user).sid)
}

/** The SID of the user of this process. */
export function ownSid(): string {
  const sid = sidOfProcess(getCurrentProcess())
  if (sid === undefined) throw new Error('The user of this process is unknown')
  return sid
}

/** Whether this process acts with the rights of a group: an administrator who did not confirm them does not. */
export function isMember(group: string): boolean {
  return withSid(group, (sid) => {
    const answer = u32Buffer()
    must('CheckTokenMembership', checkMembership(null, sid, answer))
    return answer.readUInt32LE() !== 0
  })
}

function sidText(sid: Handle): string {
  const place = Buffer.alloc(8)
  must('ConvertSidToStringSidW', sidToText(sid, place))
  const address = place.readBigUInt64LE()
  try {
    return wideTextAt(address)
  } finally {
    localFree(address)
  }
}

/** The name of an account, such as `NT AUTHORITY\SYSTEM`; its SID when it has none. */
export function accountName(sid: string): string {
  const known = names.get(sid)
  if (known !== undefined) return known
  return withSid(sid, (address) => {
    const [name, domain] = [Buffer.alloc(nameChars * 2), Buffer.alloc(nameChars * 2)]
    const [nameSize, domainSize] = [u32Buffer(nameChars), u32Buffer(nameChars)]
    const found = lookupAccount(null, address, name, nameSize, domain, domainSize, Buffer.alloc(4)) !== 0
    const [own, of] = [textAt(name, 0), textAt(domain, 0)]
    const text = !found ? sid : of === '' ? own : `${of}\\${own}`
    if (names.size >= namesKept) names.clear()
    names.set(sid, text)
    return text
  })
}

function withSid<T>(sid: string, work: (address: bigint) => T): T {
  const place = Buffer.alloc(8)
  must('ConvertStringSidToSidW', textToSid(wide(sid), place))
  const address = place.readBigUInt64LE()
  try {
    return work(address)
  } finally {
    localFree(address)
  }
}

/** A number in memory, for a call that reads or writes it. */
export function u32Buffer(value = 0): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}
