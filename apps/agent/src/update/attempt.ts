import type { Update } from '@muster/wire/messages/update.ts'
import type { UpdateReason } from '@muster/wire/messages/update-status.ts'
import { startsInTrialMax, updateRetryFirstMs, updateRetryMaxMs } from '../limits.ts'
import { hashOf, type Installation } from './installation.ts'
import { type Attempt, newest, type UpdateJournal, withBarred } from './update-journal.ts'
import type { UpdateRefused } from './update-refused.ts'

/*
 * The steps of an update. Each may be interrupted anywhere, by a kill or a power failure. The next process finds in the
 * journal what has to be finished or undone, and both are idempotent. The watchdog calls `beforeStart` before every start
 * of the agent, so that an unconfirmed executable is never started without being watched.
 */

/** What the watchdog has to know before it starts the agent. */
export interface Start {
  /** The executable is new and has to be confirmed. */
  trial: Attempt | undefined
}

export class UpdateSteps {
  readonly #installation: Installation
  readonly #journal: UpdateJournal

  constructor(installation: Installation, journal: UpdateJournal) {
    this.#installation = installation
    this.#journal = journal
  }

  /** The agent has accepted an offer. */
  async begin({ version, sha256, rolloutId }: Update, fromVersion: string): Promise<void> {
    const attempt: Attempt = { version, sha256, rolloutId, fromVersion, step: 'fetching', starts: 0 }
    await this.#journal.change((state) => ({ ...state, attempt }))
  }

  /** Replaces the executable with the fetched and verified one. The next start is of the new version. */
  async install(): Promise<void> {
    await this.#installation.backUp()
    await this.#step('replacing')
    await this.#installation.replace()
    await this.#step('replaced')
  }

  /** The agent will not install this version now. @returns when it may try again */
  async refuse(version: string, refusal: UpdateRefused, nowMs: number): Promise<number> {
    const bars = refusal.reason === 'did_not_start'
    // Another process holds the file: retry later.
    const isLocked = refusal.reason === 'file_locked'
    if (!isLocked) await this.#installation.clear()
    const { retry } = await this.#journal.change((state) => {
      const failures = state.retry?.version === version ? state.retry.failures + 1 : 1
      const delayMs = isLocked ? 0 : Math.min(updateRetryFirstMs * 2 ** (failures - 1), updateRetryMaxMs)
      return {
        ...state,
        attempt: undefined,
        barred: bars ? withBarred(state.barred, version) : state.barred,
        retry: { version, failures: isLocked ? failures - 1 : failures, notBefore: nowMs + delayMs },
      }
    })
    return retry?.notBefore ?? nowMs
  }

  /** An agent starts: an interrupted download starts again with the next offer, and an executable without a trial is trusted. */
  async settle(version: string): Promise<void> {
    const { attempt, floor } = await this.#journal.read()
    if (attempt !== undefined && attempt.step !== 'fetching') return
    if (attempt === undefined && newest(floor, version) === floor) return
    await this.#journal.change((state) => ({ ...state, attempt: undefined, floor: newest(state.floor, version) }))
  }

  /** Finishes or undoes an interrupted update. Call before each start of the agent, never while it runs. */
  async beforeStart(): Promise<Start> {
    await this.#installation.recover()
    const { attempt } = await this.#journal.read()
    if (attempt === undefined || attempt.step === 'fetching') return { trial: undefined }
    if (attempt.step === 'restoring') {
      await this.#finishRestoring(attempt)
      return { trial: undefined }
    }
    // Not replaced yet, or a person has replaced the executable since.
    if ((await hashOf(this.#installation.current)) !== attempt.sha256) {
      await this.#journal.change((state) => ({ ...state, attempt: undefined }))
      return { trial: undefined }
    }
    if (attempt.starts >= startsInTrialMax) {
      await this.rollBack({ reason: 'did_not_start', error: `it ended ${attempt.starts} times`, bars: true })
      return { trial: undefined }
    }
    const { attempt: trial } = await this.#step('starting', { starts: attempt.starts + 1 })
    return { trial }
  }

  /** The new version is confirmed. @returns whether there was an attempt to confirm */
  async confirm(version: string): Promise<boolean> {
    const { attempt } = await this.#journal.read()
    if (attempt?.version !== version || attempt.step !== 'starting') return false
    const { rolloutId, fromVersion } = attempt
    await this.#journal.change((state) => ({
      ...state,
      attempt: undefined,
      retry: undefined,
      floor: newest(state.floor, version),
      outcome: { version, state: 'confirmed', rolloutId, fromVersion },
    }))
    return true
  }

  /** The new version has failed and no longer runs: restores the previous one. */
  async rollBack(failure: { reason: UpdateReason; error: string; bars: boolean }): Promise<void> {
    const { attempt } = await this.#step('restoring', { failure })
    if (attempt !== undefined) await this.#finishRestoring(attempt)
  }

  /**
   * A confirmed executable no longer starts, because of a damaged disk or a person. @returns whether the backup could
   * replace it
   */
  async fallBack(error: string): Promise<boolean> {
    if (!(await this.#installation.restore())) return false
    await this.#journal.change((state) => ({
      ...state,
      attempt: undefined,
      outcome: { version: state.floor ?? 'unknown', state: 'rolled_back', reason: 'did_not_start', error },
    }))
    return true
  }

  async #finishRestoring(attempt: Attempt): Promise<void> {
    const { version, rolloutId, fromVersion, failure } = attempt
    await this.#installation.restore()
    await this.#installation.clear()
    await this.#journal.change((state) => ({
      ...state,
      attempt: undefined,
      barred: failure?.bars === false ? state.barred : withBarred(state.barred, version),
      outcome: {
        ...{ version, state: 'rolled_back', rolloutId, fromVersion },
        ...{ reason: failure?.reason ?? 'did_not_start', error: failure?.error },
      },
    }))
  }

  async #step(step: Attempt['step'], more: Partial<Attempt> = {}) {
    return this.#journal.change((state) => {
      if (state.attempt === undefined) return state
      return { ...state, attempt: { ...state.attempt, ...more, step } }
    })
  }
}
