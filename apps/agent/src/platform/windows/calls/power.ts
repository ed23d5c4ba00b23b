import { failureOfCall, must } from '../native/errors.ts'
import { closeHandle } from '../native/kernel32.ts'
import { wide } from '../native/layout.ts'
import {
  adjustPrivileges,
  getCurrentProcess,
  initiateShutdown,
  lookupPrivilege,
  openProcessToken,
  tokenRights,
} from '../native/security-api.ts'

const shutdownPrivilege = 'SeShutdownPrivilege'
const enabled = 2
/** A planned maintenance of the operating system, as the event log of the machine shows it. */
const plannedMaintenance = 0x8002_0001

/** Starts the restart or shutdown of the machine. Programs that do not end are ended. */
export function beginShutdown(isRestart: boolean, message: string | null): void {
  try {
    enablePrivilege(shutdownPrivilege)
    const text = message === null ? null : wide(message)
    must('InitiateSystemShutdownExW', initiateShutdown(null, text, 0, 1, isRestart ? 1 : 0, plannedMaintenance))
  } catch (error) {
    throw failureOfCall(error, isRestart ? 'restarting the machine' : 'shutting down the machine')
  }
}

/** Enables a privilege that the account has. */
function enablePrivilege(name: string): void {
  const token = Buffer.alloc(8)
  must(
    'OpenProcessToken',
    openProcessToken(getCurrentProcess(), tokenRights.query | tokenRights.adjustPrivileges, token),
  )
  const handle = token.readBigInt64LE()
  try {
    // TOKEN_PRIVILEGES with one entry: count, LUID, attributes.
    const state = Buffer.alloc(16)
    state.writeUInt32LE(1)
    must('LookupPrivilegeValueW', lookupPrivilege(null, wide(name), state.subarray(4)))
    state.writeUInt32LE(enabled, 12)
    must('AdjustTokenPrivileges', adjustPrivileges(handle, 0, state, state.length, null, null))
  } finally {
    closeHandle(handle)
  }
}
