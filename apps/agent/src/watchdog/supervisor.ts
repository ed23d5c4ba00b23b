import type { AgentState } from '../control.ts'
import { exitCodes } from '../exit-codes.ts'
import {
  agentGraceMs,
  failedStartsMax,
  goodRunMs,
  linkRetryMs,
  pingEveryMs,
  restartDelayFirstMs,
  restartDelayMaxMs,
  startsInTrialMax,
} from '../limits.ts'
import type { Log } from '../log.ts'
import { atMost, pause } from '../pause.ts'
import type { Platform } from '../platform/platform.ts'
import type { UpdateSteps } from '../update/attempt.ts'
import type { Attempt, UpdateJournal } from '../update/update-journal.ts'
import { AgentLink } from './agent-link.ts'
import { type AgentProcess, adoptAgent, startAgent } from './agent-process.ts'
import { type Failure, type Verdict, Watch } from './watch.ts'

/** The watchdog's status for the server. */
export interface Sight {
  agent: 'running' | 'silent' | 'restarting' | 'failover'
  version: string | undefined
  restarts: number
  error: string | undefined
}

export interface SupervisorOptions {
  directory: string
  /** How the agent is started. */
  program: { file: string; args: string[] }
  platform: Platform
  journal: UpdateJournal
  /** Undefined without an executable that can be replaced. */
  steps: UpdateSteps | undefined
  confirmMs: number
  isOnline: () => boolean | undefined
  onSight: (sight: Sight) => void
  /** The running version is confirmed: the watchdog may adopt it. */
  onTrusted: () => void
  /** Where the log of the agent goes, if not to that of this process. */
  output?: number | undefined
  log: Log
}

/** Keeps an agent running: starts and restarts it, and rolls back updates that fail. */
export class Supervisor {
  readonly #options: SupervisorOptions
  #link: AgentLink | undefined
  #sight: Sight = { agent: 'restarting', version: undefined, restarts: -1, error: undefined }
  /** Consecutive failed starts. */
  #failures = 0
  /** Whether an earlier version runs because a later one failed. */
  #hasFailedOver = false

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Runs until stopped, or until the agent exits because a person has to act. @returns the exit code */
  async run(signal: AbortSignal): Promise<number> {
    while (!signal.aborted) {
      try {
        const end = await this.#runOnce(signal)
        if (end !== undefined) return end
      } catch (error) {
        // A full or failing disk: the running agent is left alone, and writes are retried.
        this.#options.log.error(`cannot continue: ${error instanceof Error ? error.message : error}`)
        await this.#rest(signal)
      }
    }
    return 0
  }

  /** From one start of the agent, or from attaching to one, to its end. */
  async #runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { directory, platform, program, log, steps } = this.#options
    const found = await AgentLink.open(directory, platform, pingEveryMs)
    const state = found?.state
    let agent: AgentProcess
    let trial: Attempt | undefined
    if (found !== undefined && state !== undefined) {
      agent = await adoptAgent(state.pid, platform)
      trial = await this.#trialOf(state)
      log.info(`watching the running agent (${state.version}, process ${state.pid})`)
    } else {
      trial = (await steps?.beforeStart())?.trial
      const version = trial?.version ?? this.#sight.version
      const agentIs = this.#hasFailedOver ? 'failover' : 'restarting'
      this.#see({ version, restarts: this.#sight.restarts + 1, agent: agentIs })
      agent = startAgent(program, this.#options.output)
    }
    const watch = this.#watch(agent, found, trial, signal)
    const verdict = await watch.run()
    return this.#act(verdict, watch, agent, trial, signal)
  }

  #watch(agent: AgentProcess, link: AgentLink | undefined, trial: Attempt | undefined, signal: AbortSignal): Watch {
    const { directory, platform, confirmMs, isOnline } = this.#options
    return new Watch({
      ...{ directory, platform, agent, link, isOnline, signal },
      trial: trial === undefined ? undefined : { version: trial.version, confirmMs },
      onLink: (taken) => {
        this.#link = taken
      },
      onState: (state) => this.#onState(state, trial !== undefined),
      onProved: () => void this.#confirm(trial?.version ?? ''),
    })
  }

  #onState(state: AgentState, isTrial: boolean): void {
    if (state.acknowledged) this.#failures = 0
    this.#see({ agent: this.#hasFailedOver ? 'failover' : 'running', version: state.version, error: undefined })
    if (state.acknowledged && !isTrial) this.#options.onTrusted()
  }

  async #confirm(version: string): Promise<void> {
    const { steps, log, onTrusted } = this.#options
    try {
      if ((await steps?.confirm(version)) !== true) return
      log.info(`${version} is confirmed`, { version })
      this.#hasFailedOver = false
      this.#see({ agent: 'running' })
      this.#link?.notifyNews()
      onTrusted()
    } catch (error) {
      log.error(`cannot store that ${version} is confirmed: ${error instanceof Error ? error.message : error}`)
    }
  }

  async #act(
    verdict: Verdict,
    watch: Watch,
    agent: AgentProcess,
    trial: Attempt | undefined,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { log } = this.#options
    if (verdict.kind === 'stopped') {
      await this.#end(agent)
      return 0
    }
    const isTrial = await this.#isStillTrial(trial)
    if (verdict.kind === 'failed') {
      await this.#kill(agent)
      await this.#rollBack(trial, verdict)
      return undefined
    }
    if (verdict.kind === 'hangs' || verdict.kind === 'silent') {
      const why = verdict.kind === 'hangs' ? 'does not answer' : 'has no connection although the watchdog has one'
      log.warn(`the agent ${why}; restarting it`)
      this.#see({ agent: 'silent', error: `the agent ${why}` })
      if (verdict.kind === 'silent') await this.#end(agent)
      await this.#kill(agent)
    } else if (verdict.how === exitCodes.restart) return undefined
    else if (!isTrial && (verdict.how === exitCodes.refused || verdict.how === exitCodes.usage)) return verdict.how
    else log.warn(`the agent ended (${verdict.how ?? 'its exit code is unknown, because another process started it'})`)
    const failure = watch.failure()
    if (isTrial && trial !== undefined) {
      const how = verdict.kind === 'ended' ? `it ended (${verdict.how})` : failure.error
      if (await this.#mayTryAgain(trial)) return undefined
      await this.#rollBack(trial, { ...failure, error: how, bars: true })
      return undefined
    }
    await this.#afterEnd(watch, signal)
    return undefined
  }

  /** Waits longer after each failed start, and finally falls back to the backup. */
  async #afterEnd(watch: Watch, signal: AbortSignal): Promise<void> {
    const { steps, log } = this.#options
    this.#failures = watch.ranMs > goodRunMs ? 1 : this.#failures + 1
    this.#see({ agent: 'restarting' })
    if (!watch.wasLinked && this.#failures >= failedStartsMax) {
      const error = `the executable failed to start ${this.#failures} times`
      if ((await steps?.fallBack(error)) === true) {
        log.error(`${error}; restoring the backup`)
        this.#hasFailedOver = true
        this.#failures = 0
        return
      }
    }
    await this.#rest(signal)
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const delayMs = Math.min(restartDelayMaxMs, restartDelayFirstMs * 2 ** Math.max(0, this.#failures - 1))
    await pause(delayMs, signal).catch(() => undefined)
  }

  async #rollBack(trial: Attempt | undefined, failure: Failure): Promise<void> {
    if (trial === undefined) return
    const { log, steps } = this.#options
    const { reason, error, bars } = failure
    log.error(`${trial.version} failed: ${error}; restoring ${trial.fromVersion}`, { reason })
    await steps?.rollBack({ reason, error, bars })
    this.#hasFailedOver = true
    this.#see({ agent: 'failover', version: trial.fromVersion, error: `${trial.version}: ${error}` })
  }

  async #mayTryAgain({ version }: Attempt): Promise<boolean> {
    const { attempt } = await this.#options.journal.read()
    return attempt?.version === version && attempt.starts < startsInTrialMax
  }

  /** Whether the running agent is one that has to be confirmed. */
  async #trialOf(state: AgentState): Promise<Attempt | undefined> {
    const { attempt } = await this.#options.journal.read()
    return attempt?.step === 'starting' && attempt.version === state.version ? attempt : undefined
  }

  async #isStillTrial(trial: Attempt | undefined): Promise<boolean> {
    return trial !== undefined && (await this.#options.journal.read()).attempt?.version === trial.version
  }

  /** Asks the agent to end, then kills it. */
  async #end(agent: AgentProcess): Promise<void> {
    const timer = setTimeout(() => agent.kill('SIGKILL'), agentGraceMs)
    if (this.#options.platform.hasSignals) agent.kill('SIGTERM')
    else await this.#askToEnd(agent)
    await agent.ended
    clearTimeout(timer)
  }

  /** Asks again until the agent listens: it may just have been started. */
  async #askToEnd(agent: AgentProcess): Promise<void> {
    const { directory, platform } = this.#options
    let hasEnded = false
    const ended = agent.ended.then(() => {
      hasEnded = true
    })
    while (!hasEnded) {
      // The link of the watch was closed with it.
      const link = await AgentLink.open(directory, platform, agentGraceMs)
      if (link?.state.pid === agent.pid) return link?.end()
      link?.close()
      await atMost(linkRetryMs, ended)
    }
  }

  async #kill(agent: AgentProcess): Promise<void> {
    agent.kill('SIGKILL')
    await agent.ended
  }

  #see(changes: Partial<Sight>): void {
    this.#sight = { ...this.#sight, ...changes }
    this.#options.onSight(this.#sight)
  }
}
