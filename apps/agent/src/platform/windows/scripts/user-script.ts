import { z } from 'zod'
import { environment } from '../../../config.ts'
import { scriptMarker } from '../../script-process.ts'
import { withUserToken } from '../calls/sessions.ts'
import { u32Buffer } from '../native/accounts.ts'
import { must } from '../native/errors.ts'
import { closeHandle } from '../native/kernel32.ts'
import { type Handle, koffi, wideTextAt } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'
import { waitForObject } from '../native/processes-api.ts'
import {
  createEnvironment,
  createProcessAsUser,
  destroyEnvironment,
  getExitCode,
  getStandardHandle,
  ProcessInfo,
  resumeThread,
  StartupInfo,
  setHandleInformation,
} from '../native/user-process-api.ts'
import { environmentBlock } from './command-line.ts'
import { ScriptJob } from './script-job.ts'

export const UserScript = z.object({
  session: z.int(),
  program: z.string(),
  commandLine: z.string(),
  workingDirectory: z.string(),
  /** Names of the variables that this process has for the script; the rest comes from the user. */
  variables: z.array(z.string()),
})
export type UserScript = z.infer<typeof UserScript>

const useHandles = 0x100
const canInherit = 1
const createSuspended = 0x4
const unicodeEnvironment = 0x400
const withoutWindow = 0x0800_0000
/** The script gets a job of its own: one job cannot hold processes of two sessions. */
const leaveJob = 0x0100_0000
const standardHandles = { input: -10 >>> 0, output: -11 >>> 0, error: -12 >>> 0 } as const
const desktop = wide('winsta0\\default')
const forever = 0xffff_ffff

/**
 * The program of a process that stands between the agent and a script of the signed-in user: it hands over its own output,
 * and the job of the script ends with it. @returns the exit code of the script
 */
export function runUserScript(text: string): number {
  const script = UserScript.parse(JSON.parse(text))
  return withUserToken(script.session, (token) => {
    const { process: started, thread, pid } = begin(token, script)
    const job = new ScriptJob(pid)
    try {
      resumeThread(thread)
      waitForObject(started, forever)
      const code = u32Buffer()
      must('GetExitCodeProcess', getExitCode(started, code))
      job.release()
      return code.readUInt32LE()
    } finally {
      closeHandle(thread)
      closeHandle(started)
    }
  })
}

function begin(token: Handle, { program, commandLine, workingDirectory, variables }: UserScript) {
  const own = Object.fromEntries([...variables, scriptMarker].map((name) => [name, environment[name] ?? '']))
  const block = Buffer.from(environmentBlock(environmentOfUser(token), own), 'utf16le')
  const startup = Buffer.alloc(StartupInfo.size)
  startup.writeUInt32LE(startup.length)
  startup.writeUInt32LE(useHandles, StartupInfo.offsetOf('flags'))
  startup.writeBigUInt64LE(BigInt(koffi.address(desktop)), StartupInfo.offsetOf('desktop'))
  for (const name of ['input', 'output', 'error'] as const) {
    const handle = getStandardHandle(standardHandles[name])
    // The runtime takes this from its own ones.
    setHandleInformation(handle, canInherit, canInherit)
    startup.writeBigInt64LE(BigInt(handle), StartupInfo.offsetOf(name))
  }
  const info = Buffer.alloc(ProcessInfo.size)
  const flags = createSuspended | unicodeEnvironment | withoutWindow | leaveJob
  const [file, line, folder] = [wide(program), wide(commandLine), wide(workingDirectory)]
  must(
    'CreateProcessAsUserW',
    createProcessAsUser(token, file, line, null, null, 1, flags, block, folder, startup, info),
  )
  return ProcessInfo.read(info)
}

/** The variables that the system has for a user. */
function environmentOfUser(token: Handle): string[] {
  const block = Buffer.alloc(8)
  must('CreateEnvironmentBlock', createEnvironment(block, token, 0))
  const address = block.readBigUInt64LE()
  try {
    return entriesAt(address)
  } finally {
    destroyEnvironment(address)
  }
}

/** Entries that an empty one ends. */
function entriesAt(block: bigint): string[] {
  const entries: string[] = []
  let at = block
  for (let entry = wideTextAt(at); entry !== ''; entry = wideTextAt(at)) {
    entries.push(entry)
    at += BigInt((entry.length + 1) * 2)
  }
  return entries
}
