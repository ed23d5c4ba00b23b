import type { Update } from '@muster/wire/messages/update.ts'
import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import { compareVersions, releaseArchitectures, releaseSystems, releaseTargetPath } from '@muster/wire/release.ts'
import { formatDuration } from '../backoff.ts'
import type { Log } from '../log.ts'
import { osName } from '../platform/os-name.ts'
import type { ServerClock } from '../server-clock.ts'
import type { Settings } from '../settings.ts'
import { UpdateSteps } from './attempt.ts'
import type { Fetch } from './fetch-update.ts'
import type { Installation } from './installation.ts'
import type { UpdateJournal, UpdateState } from './update-journal.ts'
import { refusalFrom, UpdateRefused } from './update-refused.ts'

export interface UpdaterOptions {
  /** The running version. */
  version: string
  /** Undefined without an executable that can be replaced. */
  installation: Installation | undefined
  journal: UpdateJournal
  /** The folder of trusted metadata, and the root of its signatures. */
  trust: { folder: string; root: string | undefined }
  settings: Settings
  clock: ServerClock
  /** Whether a watchdog would notice that a new version fails. */
  isWatched: () => boolean
  fetch: Fetch
  report: (status: UpdateStatus, acknowledged?: () => void) => void
  /** The new executable is in place: ends this process. */
  restart: (version: string) => void
  log: Log
}

const settingLost = 'The auto-update setting could not be read: turn auto-update on or off again'

/** Handles offers of the server: fetches the version, replaces this executable, and leaves the rest to the watchdog. */
export class Updater {
  readonly #options: UpdaterOptions
  readonly #steps: UpdateSteps | undefined
  readonly #stopping = new AbortController()
  /** The last status sent: offers are repeated, but a refusal is sent again only after another status. */
  #said: string | undefined
  #busy: Promise<void> | undefined
  #reporting: string | undefined

  constructor(options: UpdaterOptions) {
    this.#options = options
    if (options.installation !== undefined) this.#steps = new UpdateSteps(options.installation, options.journal)
  }

  /** Call once before any offer. */
  async recover(): Promise<void> {
    await this.#steps?.settle(this.#options.version)
  }

  offer(update: Update): void {
    this.#busy ??= this.#consider(update)
      .catch((error: unknown) => this.#options.log.error(`cannot update: ${errorMessage(error)}`))
      .finally(() => {
        this.#busy = undefined
      })
  }

  /** Answers an offer that is refused. */
  refuse(update: Update, error: string): void {
    const { version, rolloutId } = update
    this.#options.report({ version, state: 'refused', reason: 'order_refused', error, rolloutId })
  }

  /** Reports the outcome of the last attempt, unless the server has it. Call on connecting and on news from the watchdog. */
  async reportOutcome(): Promise<void> {
    const { journal, report, log } = this.#options
    const { outcome, barred } = await journal.read()
    if (outcome === undefined) return
    const text = JSON.stringify(outcome)
    if (this.#reporting === text) return
    this.#reporting = text
    const known = async () => {
      await journal.change((state) =>
        JSON.stringify(state.outcome) === text ? { ...state, outcome: undefined } : state,
      )
      this.#reporting = undefined
    }
    report({ ...outcome, error: outcome.error?.slice(0, 2000), barred }, () => {
      known().catch((error: unknown) => log.error(`cannot store that an update was reported: ${errorMessage(error)}`))
    })
  }

  /** Stops a download. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#busy
  }

  async #consider(update: Update): Promise<void> {
    const { journal, clock } = this.#options
    const state = await journal.read()
    const { installation } = this.#options
    const objection = this.#objection(update, state)
    if (objection !== undefined) return this.#refuse(update, objection, state.barred)
    // Nothing is sent between attempts: the last refusal still applies.
    if (state.retry?.version === update.version && state.retry.notBefore > clock.now()) return
    if (installation === undefined || this.#steps === undefined || state.attempt !== undefined) return
    await this.#attempt(update, this.#steps, installation)
  }

  #objection(update: Update, { barred, floor, attempt }: UpdateState): UpdateRefused | undefined {
    const { version, settings, installation, isWatched, clock, trust } = this.#options
    const offered = update.version
    const isUnfinished = attempt !== undefined && attempt.step !== 'fetching'
    const cases: [boolean, UpdateRefused['reason'], string][] = [
      [settings.autoUpdate === false, 'auto_update_off', 'Auto-update is turned off'],
      [settings.autoUpdate === 'unknown', 'auto_update_off', settingLost],
      [installation === undefined, 'cannot_replace_itself', 'This agent is not an installed executable'],
      [barred.includes(offered), 'barred', `${offered} failed on this machine`],
      [compareVersions(offered, version) <= 0, 'not_newer', `this machine already runs ${version}`],
      [
        floor !== undefined && compareVersions(offered, floor) <= 0,
        'not_newer',
        `this machine has already run ${floor}`,
      ],
      [update.deadline !== undefined && update.deadline < clock.now(), 'expired_offer', 'the offer has expired'],
      [isUnfinished, 'cannot_replace_itself', 'an earlier update has not been finished by the watchdog'],
      [!isWatched(), 'cannot_replace_itself', 'no watchdog is running to roll back a failed update'],
      [trust.root === undefined, 'untrusted', 'This agent was installed without a trusted root to verify releases'],
      [
        update.target === undefined || update.metadataUrl === undefined,
        'untrusted',
        'the offer does not name a signed release',
      ],
      [update.target !== this.#targetOf(offered), 'wrong_target', `${update.target} is not for this machine`],
    ]
    const found = cases.find(([applies]) => applies)
    return found === undefined ? undefined : new UpdateRefused(found[1], found[2])
  }

  #targetOf(version: string): string | undefined {
    const os = releaseSystems.find((name) => name === osName)
    const arch = releaseArchitectures.find((name) => name === process.arch)
    return os === undefined || arch === undefined ? undefined : releaseTargetPath({ version, os, arch })
  }

  async #attempt(update: Update, steps: UpdateSteps, installation: Installation): Promise<void> {
    const { version: fromVersion, trust, fetch, report, restart, log, clock, journal } = this.#options
    const { version, rolloutId, url, sha256, size, metadataUrl = '', target = '' } = update
    const tell = (state: UpdateStatus['state'], more: Partial<UpdateStatus> = {}) =>
      report({ version, state, rolloutId, fromVersion, ...more })
    log.info(`updating from ${fromVersion} to ${version}`, { version })
    this.#said = undefined
    try {
      await steps.begin(update, fromVersion)
      const job = { version, url, sha256, size, metadataUrl, target, executable: installation.current }
      const root = trust.root ?? ''
      await fetch({ ...job, trust: { folder: trust.folder, root } }, tell, this.#stopping.signal)
      // A user has turned auto-update off meanwhile.
      if (this.#options.settings.autoUpdate !== true)
        throw new UpdateRefused('auto_update_off', 'Auto-update was turned off')
      tell('installing')
      await steps.install()
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      const refusal = refusalFrom(error)
      const again = await steps.refuse(version, refusal, clock.now())
      const { barred } = await journal.read()
      const isLocked = refusal.reason === 'file_locked'
      const next = barred.includes(version)
        ? 'not tried again'
        : `tried again in ${formatDuration(again - clock.now())}`
      log.warn(`refused the update to ${version}: ${refusal.message}; ${isLocked ? 'tried at the next offer' : next}`)
      const state = isLocked ? 'installing' : 'refused'
      tell(state, {
        reason: refusal.reason,
        error: `${refusal.message} (${isLocked ? 'tried at the next offer' : next})`,
        barred,
      })
      return
    }
    // The agent was told to end meanwhile: the next start runs the new version.
    if (this.#stopping.signal.aborted) return
    tell('restarting')
    restart(version)
  }

  #refuse({ version, rolloutId }: Update, { reason, message }: UpdateRefused, barred: string[]): void {
    const key = `${version} ${reason}`
    if (this.#said === key) return
    this.#said = key
    this.#options.log.warn(`refused the update to ${version}: ${message}`, { version, reason })
    this.#options.report({ version, state: 'refused', reason, error: message, rolloutId, barred })
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
