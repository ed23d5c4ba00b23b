import type { Grip } from '../../script-process.ts'
import { snapshot, timesOf, withProcess } from '../calls/processes.ts'
import { lastError } from '../native/errors.ts'
import { closeHandle } from '../native/kernel32.ts'
import type { Handle } from '../native/koffi.ts'
import {
  assignToJob,
  createJob,
  ExtendedLimits,
  limitFlagsAt,
  rights,
  setJobInformation,
  terminateJob,
} from '../native/processes-api.ts'
import { treeOf } from '../process-tree.ts'

const killOnClose = 0x2000
const breakawayAllowed = 0x800
const extendedLimits = 9
const killedExitCode = 1

/** A script and all processes that it starts. The system ends them when the agent ends, because that closes the job. */
export class ScriptJob implements Grip {
  readonly #job: Handle
  #isOpen = true

  /** @param mayLeave whether its processes can start others outside of the job */
  constructor(pid: number, mayLeave = false) {
    this.#job = createJob(null, null)
    if (Number(this.#job) === 0) throw lastError('CreateJobObjectW')
    this.#limit(mayLeave ? killOnClose | breakawayAllowed : killOnClose)
    this.#add(pid)
    // Children that it started before it belonged to the job.
    const started = (one: number) => withProcess(one, rights.queryLimited, (handle) => timesOf(handle).createdMs) ?? 0
    for (const child of treeOf(pid, snapshot(), started)) if (child !== pid) this.#add(child)
  }

  terminate(): void {
    this.kill()
  }

  kill(): void {
    if (this.#isOpen) terminateJob(this.#job, killedExitCode)
  }

  /** The script has ended: processes that it left running on purpose stay, as on other systems. */
  release(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#limit(0)
    closeHandle(this.#job)
  }

  #limit(flags: number): void {
    const limits = Buffer.alloc(ExtendedLimits.size)
    limits.writeUInt32LE(flags, limitFlagsAt)
    if (setJobInformation(this.#job, extendedLimits, limits, limits.length) === 0)
      throw lastError('SetInformationJobObject')
  }

  /** A process that has ended already needs no job. */
  #add(pid: number): void {
    withProcess(pid, rights.terminate | rights.setQuota, (handle) => assignToJob(this.#job, handle))
  }
}
