import { execFile } from 'node:child_process'
import { openSync, writeSync } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isExposed } from '@muster/wire/plaintext.ts'
import { AgentStopped } from '../agent-stopped.ts'
import { type Invocation, usage } from '../config.ts'
import { takeDataFolder } from '../data-folder.ts'
import { takeEnrollmentKey } from '../enrollment-key.ts'
import { exitCodes } from '../exit-codes.ts'
import { readInvocation } from '../invocation.ts'
import { serviceLogBytesMax, versionCheckTimeoutMs } from '../limits.ts'
import { createLog, type Log } from '../log.ts'
import { isExecutable, ownProgram } from '../own-program.ts'
import { loadPlatform } from '../platform/load.ts'
import type { Platform, ServiceManager } from '../platform/platform.ts'
import { UpdateSteps } from '../update/attempt.ts'
import { Installation } from '../update/installation.ts'
import { UpdateJournal } from '../update/update-journal.ts'
import { agentVersion } from '../version.ts'
import { WatchdogCredential } from './credential.ts'
import { ServerLine } from './server-line.ts'
import { Supervisor } from './supervisor.ts'

type Config = Extract<Invocation, { kind: 'run' }>['config']

/** Runs the watchdog as a service that answers the service manager of the system. */
export async function startService(args: readonly string[]): Promise<void> {
  const platform = await loadPlatform()
  if (platform.joinServiceManager === undefined)
    throw new Error('services of this system run the watchdog as it is: use the word watchdog')
  return startWatchdog(args, await platform.joinServiceManager())
}

/** Runs the watchdog: starts the agent with the same flags and keeps it running. */
export async function startWatchdog(args: readonly string[], manager?: ServiceManager): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const platform = await loadPlatform()
  const invocation = readInvocation(args, platform)
  if (invocation.kind === 'help') return void process.stdout.write(`${usage}\n`)
  if (invocation.kind === 'version') return void process.stdout.write(`${agentVersion}\n`)
  const { config } = invocation
  const directory = config.dataDirectory
  const output = manager === undefined ? undefined : await openServiceLog(directory)
  const log = watchdogLog(config, output, manager)
  await prepareFolder(config, platform, log)
  const journal = new UpdateJournal(directory)
  const stopping = new AbortController()
  // The agent, and this watchdog after it changes its executable, find the key in the data folder.
  const passedOn = args.filter((arg) => arg !== '--key-stdin')
  const continueAs = platform.continueAs ?? (manager && restartByManager)
  const own = isExecutable ? new OwnExecutable(continueAs, passedOn, journal, log, stopping.signal) : undefined
  await own?.moveIn()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())
  manager?.onStop(() => stopping.abort())
  const line = new ServerLine({
    credential: await WatchdogCredential.open(directory),
    ingestUrl: config.ingestUrl,
    mayUse: (url) => config.allowPlaintext || !isExposed(url),
    log,
  })
  line.run(stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error(`cannot keep its own connection to the server: ${error}`)
  })
  const installation = own?.installation
  void manager?.report('started', `Muster agent ${agentVersion} started`)
  const supervisor = new Supervisor({
    directory,
    program: installation === undefined ? ownProgram(...passedOn) : { file: installation.current, args: passedOn },
    platform,
    journal,
    steps: installation === undefined ? undefined : new UpdateSteps(installation, journal),
    confirmMs: config.confirmMs,
    isOnline: () => line.isOnline,
    onSight: (sight) => line.see(sight),
    onTrusted: () => void own?.follow(),
    output,
    log,
  })
  const exitCode = await supervisor.run(stopping.signal)
  line.stop('the watchdog is stopping')
  await manager?.report('stopped', `Muster agent ${agentVersion} stopped with exit code ${exitCode}`)
  setTimeout(() => {
    // An installer replaces the executable as soon as the service is stopped.
    manager?.stopped(exitCode)
    process.exit(exitCode)
  }, 400)
}

/** Claims the data folder, and stores the key from standard input in it. */
async function prepareFolder(config: Config, platform: Platform, log: Log): Promise<void> {
  try {
    await takeDataFolder(config.dataDirectory, 'watchdog', { platform, log })
    if (config.keyFromStdin) await takeEnrollmentKey(config.dataDirectory)
  } catch (error) {
    if (!(error instanceof AgentStopped)) throw error
    log.error(error.message)
    process.exit(exitCodes.refused)
  }
}

/** @param manager also gets what went wrong, in its event log */
function watchdogLog({ logJson }: Config, output: number | undefined, manager: ServiceManager | undefined): Log {
  const log = createLog(logJson, (line) => {
    if (output === undefined) process.stdout.write(line)
    else writeSync(output, line)
  })
  const marked = (level: keyof Log) => (message: string, fields?: Record<string, unknown>) => {
    log[level](`watchdog: ${message}`, fields)
    if (level === 'warn') void manager?.report('warning', message)
    else if (level === 'error') void manager?.report('error', message)
  }
  return { info: marked('info'), warn: marked('warn'), error: marked('error') }
}

/** A service has no output: its log is a file, and so is that of its agent. The log of earlier starts is kept once. */
async function openServiceLog(directory: string): Promise<number> {
  const path = join(directory, 'service.log')
  await mkdir(directory, { recursive: true })
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > serviceLogBytesMax) await rename(path, `${path}.old`)
  return openSync(path, 'a', 0o600)
}

/** Ends this process, which runs from the watchdog's executable: the service manager starts the one that replaced it. */
function restartByManager(program: string): void {
  if (process.execPath === program) process.exit(exitCodes.restart)
}

/**
 * The watchdog runs from its own name for the newest confirmed executable. After any change of the agent’s executable, a
 * restarted watchdog is one that is known to work.
 */
class OwnExecutable {
  readonly installation = Installation.ofProcess(process.execPath)
  readonly #continueAs: Platform['continueAs']
  readonly #args: readonly string[]
  readonly #journal: UpdateJournal
  readonly #log: Log
  readonly #stopping: AbortSignal
  #isMoving = false

  /** @param continueAs undefined where this process stays the program that it is */
  constructor(
    continueAs: Platform['continueAs'],
    args: readonly string[],
    journal: UpdateJournal,
    log: Log,
    stopping: AbortSignal,
  ) {
    this.#continueAs = continueAs
    this.#stopping = stopping
    this.#args = args
    this.#journal = journal
    this.#log = log
  }

  /** Continues as the watchdog's own executable when it was started under another name. */
  async moveIn(): Promise<void> {
    const { installation } = this
    if (process.execPath === installation.watchdog) return
    const { attempt } = await this.#journal.read()
    const isSettled = attempt === undefined || attempt.step === 'fetching'
    try {
      if (isSettled && !(await installation.isSharedWithWatchdog())) await installation.giveToWatchdog()
      if (await installation.exists(installation.watchdog)) await this.#become()
    } catch (error) {
      this.#log.warn(`runs from the agent's own executable, which an update may break: ${error}`)
    }
  }

  /** Adopts the agent's executable once it is confirmed and has shown that it can run as a watchdog. */
  async follow(): Promise<void> {
    const { installation } = this
    if (this.#isMoving || (await installation.isSharedWithWatchdog())) return
    this.#isMoving = true
    try {
      await promisify(execFile)(installation.current, ['watchdog', '--version'], { timeout: versionCheckTimeoutMs })
      await installation.giveToWatchdog()
      await this.#become()
    } catch (error) {
      this.#log.warn(`stays ${agentVersion}: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** Replaces the program of this process; the agent is not affected. */
  async #become(): Promise<void> {
    const { watchdog } = this.installation
    // The new program misses signals sent to the old one, so pending ones are handled first.
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#stopping.aborted) return
    if (this.#continueAs === undefined) return
    this.#log.info('continuing from its own executable')
    this.#continueAs(watchdog, ['watchdog', ...this.#args])
  }
}
