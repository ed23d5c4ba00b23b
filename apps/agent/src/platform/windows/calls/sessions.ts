import { ToolFailure } from '../../../tool-failure.ts'
import { sidOfToken, u32Buffer } from '../native/accounts.ts'
import { winErrors } from '../native/error-codes.ts'
import { failureOfCall, lastCode, Win32Error } from '../native/errors.ts'
import { closeHandle } from '../native/kernel32.ts'
import { type Handle, memoryAt, wideTextAt } from '../native/koffi.ts'
import { enumerateSessions, freeSessions, querySession, SessionInfo, wtsUserName } from '../native/sessions-api.ts'
import { consoleSession, queryUserToken } from '../native/user-process-api.ts'

const activeState = 0

/** A session in which a user works now. */
export interface ActiveSession {
  id: number
  user: string
}

export function activeSessions(): ActiveSession[] {
  const [list, count] = [Buffer.alloc(8), u32Buffer()]
  if (enumerateSessions(0, 0, 1, list, count) === 0) return []
  const address = list.readBigUInt64LE()
  try {
    const memory = memoryAt(address, count.readUInt32LE() * SessionInfo.size)
    return Array.from({ length: count.readUInt32LE() }, (_, index) =>
      SessionInfo.read(memory, index * SessionInfo.size),
    )
      .filter(({ state }) => state === activeState)
      .flatMap(({ id }) => {
        const user = userOfSession(id)
        return user === undefined ? [] : [{ id, user }]
      })
  } finally {
    freeSessions(address)
  }
}

function userOfSession(id: number): string | undefined {
  const [text, size] = [Buffer.alloc(8), u32Buffer()]
  if (querySession(0, id, wtsUserName, text, size) === 0) return undefined
  const address = text.readBigUInt64LE()
  try {
    return wideTextAt(address) || undefined
  } finally {
    freeSessions(address)
  }
}

/**
 * The user who is signed in: at the screen of the machine, else over the network.
 * @param wanted the only user that counts, with or without a domain
 * @throws ToolFailure without one
 */
export function signedInUser(wanted?: string): { session: number; sid: string } {
  const screen = consoleSession()
  const name = wanted?.slice(wanted.lastIndexOf('\\') + 1).toLowerCase()
  const sessions = activeSessions().filter(({ user }) => name === undefined || user.toLowerCase() === name)
  const session = sessions.find(({ id }) => id === screen) ?? sessions[0]
  if (session === undefined)
    throw new ToolFailure(
      'NO_USER_SESSION',
      `${wanted ?? 'no user'} is ${wanted === undefined ? '' : 'not '}signed in at the machine`,
    )
  return withUserToken(session.id, (token) => {
    const sid = sidOfToken(token)
    if (sid === undefined) throw new ToolFailure('COMMAND_FAILED', `the user of session ${session.id} is unknown`)
    return { session: session.id, sid }
  })
}

/** The token of the user of a session during a callback. Only SYSTEM may have it. */
export function withUserToken<T>(session: number, work: (token: Handle) => T): T {
  const token = Buffer.alloc(8)
  if (queryUserToken(session, token) === 0) {
    const code = lastCode()
    if (code === winErrors.noToken) throw new ToolFailure('NO_USER_SESSION', 'the user has signed out meanwhile')
    throw failureOfCall(new Win32Error('WTSQueryUserToken', code), 'the session of the user')
  }
  const handle = token.readBigInt64LE()
  try {
    return work(handle)
  } finally {
    closeHandle(handle)
  }
}
