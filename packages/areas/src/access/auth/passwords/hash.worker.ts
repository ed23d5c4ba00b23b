// Hashes passwords on a thread of its own that gives way to everything else: a flood of sign-ins must not slow those down
// who are signed in.
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type Algorithm, hashSync, verifySync } from '@node-rs/argon2'

export interface HashTask {
  readonly id: number
  readonly password: string
  /** What to compare with; null makes a new hash. */
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
  // Linux gives each thread a priority; the link names this very one.
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  setPriority(thread, niceness)
} catch {
  // Elsewhere it runs like any other thread.
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
