// Hashes passwords on a worker thread with a low priority, so that many sign-ins at once do not slow down requests of
// signed-in users.
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type Algorithm, hashSync, verifySync } from '@node-rs/argon2'

export interface HashTask {
  readonly id: number
  readonly password: string
  /** The hash to compare with; null creates a new hash. */
  readonly stored: string | null
  readonly parameters: HashParameters
}
export interface HashParameters {
  readonly memoryCost: number
  readonly timeCost: number
  readonly parallelism: number
}
export interface HashResult {
  readonly id: number
  readonly hash?: string
  readonly matches?: boolean
  readonly failed?: string
}

const argon2id: Algorithm.Argon2id = 2
const niceness = 5

try {
  // Linux has a priority per thread. The link names the ID of this thread.
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  setPriority(thread, niceness)
} catch {
  // On other systems the thread keeps the normal priority.
}

function done({ id, password, stored, parameters }: HashTask): HashResult {
  try {
    if (stored === null) return { id, hash: hashSync(password, { ...parameters, algorithm: argon2id }) }
    return { id, matches: verifySync(stored, password) }
  } catch (error) {
    return { id, failed: String(error) }
  }
}

parentPort?.on('message', (task: HashTask) => parentPort?.postMessage(done(task)))
