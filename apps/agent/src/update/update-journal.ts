import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { compareVersions } from '@muster/wire/release.ts'
import { z } from 'zod'
import { isMissing, readIfPresent, writeDurably } from '../durable-file.ts'
import { barredVersionsMax } from '../limits.ts'

/*
 * The progress of an update on this machine, and the versions that it will not try again. One file, replaced as a whole. The
 * agent writes it up to the step `replaced`, the watchdog from there to the end of the attempt; neither caches it.
 */

const Attempt = z.object({
  version: z.string(),
  sha256: z.string(),
  rolloutId: z.string().optional(),
  fromVersion: z.string(),
  /**
   * fetching: only a download has happened. replacing: the executable is the old or the new one. replaced: it is the new one,
   * never started. starting: it was started and has to be confirmed. restoring: it has failed, and the executable is the new
   * one or the restored old one.
   */
  step: z.enum(['fetching', 'replacing', 'replaced', 'starting', 'restoring']),
  starts: z.int().default(0),
  /** Why it failed, from `restoring` on. */
  failure: z.object({ reason: z.string(), error: z.string(), bars: z.boolean() }).optional(),
})
export type Attempt = z.infer<typeof Attempt>

const Outcome = z.object({
  version: z.string(),
  state: z.enum(['confirmed', 'rolled_back']),
  reason: z.string().optional(),
  error: z.string().optional(),
  rolloutId: z.string().optional(),
  fromVersion: z.string().optional(),
})
export type Outcome = z.infer<typeof Outcome>

const UpdateState = z.object({
  /** The newest confirmed version: nothing older is installed. */
  floor: z.string().optional(),
  /** Versions that failed on this machine, oldest first. */
  barred: z.array(z.string()).default([]),
  attempt: Attempt.optional(),
  /** The outcome of the last attempt, until the server has it. */
  outcome: Outcome.optional(),
  /** A version that could not be fetched or installed, and when it is tried again. */
  retry: z.object({ version: z.string(), failures: z.int(), notBefore: z.number() }).optional(),
})
export type UpdateState = z.infer<typeof UpdateState>

/** Called before and after every change of the disk, so that tests can stop there. */
export type Checkpoint = (name: string) => void

export class UpdateJournal {
  readonly #path: string
  readonly #checkpoint: Checkpoint
  #turn: Promise<unknown> = Promise.resolve()

  constructor(directory: string, checkpoint: Checkpoint = () => undefined) {
    this.#path = join(directory, 'update.json')
    this.#checkpoint = checkpoint
  }

  /** A damaged file is moved aside: an update in it is then judged by the executable that runs. */
  async read(): Promise<UpdateState> {
    const text = await readIfPresent(this.#path)
    if (text === undefined) return UpdateState.parse({})
    try {
      return UpdateState.parse(JSON.parse(text))
    } catch {
      await rename(this.#path, `${this.#path}.damaged`).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
      return UpdateState.parse({})
    }
  }

  /** Resolves when the change is on the disk. */
  change(changed: (state: UpdateState) => UpdateState): Promise<UpdateState> {
    const turn = this.#turn
      .catch(() => undefined)
      .then(async () => {
        const state = changed(await this.read())
        const name = state.attempt === undefined ? 'settled' : state.attempt.step
        this.#checkpoint(`before noting ${name}`)
        await writeDurably(this.#path, `${JSON.stringify(state, null, 1)}\n`)
        this.#checkpoint(`after noting ${name}`)
        return state
      })
    this.#turn = turn
    return turn
  }
}

/** The list of failed versions with one more. */
export function withBarred(barred: readonly string[], version: string): string[] {
  return [...barred.filter((other) => other !== version), version].slice(-barredVersionsMax)
}

/** The newer of two versions; the first may be unknown. */
export function newest(one: string | undefined, other: string): string {
  return one !== undefined && compareVersions(one, other) > 0 ? one : other
}
