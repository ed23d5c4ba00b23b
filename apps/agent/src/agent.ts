import { randomInt } from 'node:crypto'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DownMessage, downMessages } from '@muster/wire/down.ts'
import { bootIdMax } from '@muster/wire/limits.ts'
import { orderedTypes } from '@muster/wire/orders.ts'
import type { AgentFolder } from './agent-folder.ts'
import type { AgentOptions } from './agent-options.ts'
import { AgentStopped } from './agent-stopped.ts'
import { AssignedWork } from './assigned-work.ts'
import { sha256 } from './canonical.ts'
import { localCheckers } from './checks/local-checks.ts'
import { networkCheckers } from './checks/network-checks.ts'
import { errorText } from './commands/command.ts'
import { createRegistry } from './commands/registry.ts'
import { Requests } from './commands/requests.ts'
import { CommandRunner } from './commands/runner.ts'
import { Connection } from './connection.ts'
import { Control } from './control.ts'
import { takeDataFolder } from './data-folder.ts'
import { requireEncrypted } from './encryption.ts'
import { EnrollmentRefused, enroll } from './enroll.ts'
import { forgetEnrollmentKey, keptEnrollmentKey, takeEnrollmentKey } from './enrollment-key.ts'
import { FactStore } from './facts/fact-store.ts'
import { Heartbeat } from './heartbeat.ts'
import { type Enrollment, Identity } from './identity.ts'
import { InventoryReporter } from './inventory-reporter.ts'
import { Journal } from './journal.ts'
import { ordersRememberedMax, shutdownFlushMs, shutdownScriptsMs } from './limits.ts'
import { askForOrderKeys } from './orders/administration.ts'
import { OrderGate, type Refused } from './orders/order-gate.ts'
import { OrderKeys } from './orders/order-keys.ts'
import { OrderMemory } from './orders/order-memory.ts'
import { ScriptGrants } from './orders/script-grants.ts'
import { ScriptSecrets } from './orders/script-secrets.ts'
import { Outbox } from './outbox.ts'
import { OwnCapabilities } from './own-capabilities.ts'
import { isExecutable } from './own-program.ts'
import { atMost } from './pause.ts'
import { release } from './release.ts'
import type { Ending } from './retry.ts'
import { ServerClock } from './server-clock.ts'
import { Settings } from './settings.ts'
import { storeCertificate } from './stored-certificate.ts'
import { fetchInProcess } from './update/fetch-update.ts'
import { Installation } from './update/installation.ts'
import { trustedRoot, trustFolder } from './update/trusted-root.ts'
import { UpdateJournal } from './update/update-journal.ts'
import { Updater } from './update/updater.ts'
import { agentVersion } from './version.ts'
import { WatchdogCredential } from './watchdog/credential.ts'

/** All parts of a running agent, wired together. */
export class Agent {
  readonly #options: AgentOptions
  readonly #folder: AgentFolder
  readonly #outbox = new Outbox()
  readonly #clock = new ServerClock()
  readonly #stopping = new AbortController()
  readonly #heartbeat: Heartbeat
  readonly #reporter: InventoryReporter
  readonly #runner: CommandRunner
  readonly #requests: Requests
  readonly #gate: OrderGate
  readonly #assigned: AssignedWork
  readonly #connection: Connection
  #connected = false
  #welcomed = false
  #mayEnrolAgain: boolean
  readonly #updater: Updater
  readonly #capabilities: OwnCapabilities
  readonly #secrets: ScriptSecrets

  private constructor(options: AgentOptions, folder: AgentFolder) {
    const { platform, log, config } = options
    const { journal, settings } = folder
    const [outbox, clock] = [this.#outbox, this.#clock]
    this.#options = options
    this.#folder = folder
    this.#mayEnrolAgain = folder.key !== undefined && config.server !== undefined
    const vitals = platform.vitals()
    this.#heartbeat = new Heartbeat({
      read: () => vitals.read(),
      send: (figures) => outbox.heartbeat(figures, () => folder.control.set({ acknowledged: true })),
      isConnected: () => this.#connected,
      log,
    })
    const facts = async () => ({ ...(await platform.facts()), agentVersion })
    this.#capabilities = new OwnCapabilities(platform)
    this.#reporter = new InventoryReporter({ facts, outbox, settings, log, collected: () => void this.#lookAgain() })
    const scriptsDirectory = join(config.dataDirectory, 'scripts')
    const tools = platform.tools([folder.path])
    const checkers = { ...localCheckers(tools), ...networkCheckers(platform.ping) }
    const grants = new ScriptGrants({ keys: folder.grantKeys, identity: folder.identity, gate: () => this.#gate })
    const secrets = new ScriptSecrets(folder.identity)
    this.#secrets = secrets
    const scripts = { scriptsDirectory, grants, secrets }
    const registry = createRegistry({ platform, settings, tools, checkers, log, reporter: this.#reporter, ...scripts })
    this.#runner = new CommandRunner({ registry, journal, outbox, clock, platform, secrets, log })
    this.#requests = new Requests({ registry, log, send: (frame) => this.#connection.tell(frame) })
    this.#assigned = new AssignedWork({ checkers, tools, facts: folder.facts, outbox, now: () => clock.now(), log })
    this.#updater = this.#createUpdater()
    this.#gate = this.#createGate()
    const bootId = randomInt(1, bootIdMax)
    this.#connection = new Connection({
      peer: () => this.#peer(bootId),
      outbox,
      log,
      welcome: (welcome) => this.#onWelcome(welcome),
      message: (message) => this.#onMessage(message),
      ended: (ending) => this.#onEnd(ending),
    })
  }

  /** Opens the data folder, which only one agent may hold at a time. */
  static async open(options: AgentOptions): Promise<Agent> {
    const directory = options.config.dataDirectory
    const free = await takeDataFolder(directory, 'agent', options)
    if (options.config.keyFromStdin) await takeEnrollmentKey(directory)
    await rm(join(directory, 'scripts'), { recursive: true, force: true })
    const identity = await Identity.open(directory)
    const journal = await Journal.open(join(directory, 'journal.log'))
    const path = await realpath(directory)
    const settings = await Settings.open(directory)
    const facts = await FactStore.open(directory, options.log)
    const root = await trustedRoot(directory, release.trustedRoot, options.config.trustedRoot)
    let onNews = () => {}
    const actions = { news: () => onNews(), end: () => options.end?.() }
    const control = await Control.open(directory, options.platform, agentVersion, actions)
    const updates = new UpdateJournal(directory)
    const watchdog = await WatchdogCredential.open(directory)
    const key = options.config.key ?? (await keptEnrollmentKey(directory))
    const orderKeys = await OrderKeys.open(directory)
    const grantKeys = await OrderKeys.open(directory, 'grants')
    const held = { path, key, identity, journal, settings, facts, control, watchdog, orderKeys, grantKeys, updates }
    const agent = new Agent(options, { ...held, trustedRoot: root, release: free })
    onNews = () => agent.#reportUpdate()
    return agent
  }

  #createGate(): OrderGate {
    const { log, config } = this.#options
    return new OrderGate({
      deviceId: () => this.#enrollment().deviceId,
      keys: this.#folder.orderKeys,
      grantKeys: this.#folder.grantKeys,
      memory: new OrderMemory(join(config.dataDirectory, 'orders.log'), ordersRememberedMax, log),
      ask: async () => {
        const { server, certificate } = this.#enrollment()
        requireEncrypted(server, config.allowPlaintext)
        return askForOrderKeys(server, certificate)
      },
      obey: (message) => this.#obey(message),
      refused: (refusal) => this.#onRefused(refusal),
      log,
    })
  }

  #createUpdater(): Updater {
    const { log, config, restart = () => undefined } = this.#options
    const { settings, control, updates, trustedRoot: root } = this.#folder
    return new Updater({
      version: agentVersion,
      installation: isExecutable ? Installation.ofProcess(process.execPath) : undefined,
      journal: updates,
      trust: { folder: trustFolder(config.dataDirectory).folder, root },
      settings,
      clock: this.#clock,
      isWatched: () => control.isWatched,
      fetch: fetchInProcess,
      report: (status, acknowledged) => this.#outbox.updateStatus(status, acknowledged),
      restart,
      log,
    })
  }

  #reportUpdate(): void {
    this.#updater
      .reportOutcome()
      .catch((error: unknown) => this.#options.log.error(`cannot report the last update: ${error}`))
  }

  /** Enrolls if needed, then stays connected until stopped. Throws AgentStopped when a person has to act. */
  async run(): Promise<void> {
    try {
      await this.#live()
    } catch (error) {
      // Work that a stop interrupts ends with its own error.
      if (!this.#stopping.signal.aborted) throw error
    }
  }

  async #live(): Promise<void> {
    const { config, log } = this.#options
    const { enrollment } = this.#folder.identity
    if (enrollment === undefined) await this.#enroll()
    else if (config.ingestUrl === undefined && (config.server ?? enrollment.server) !== enrollment.server)
      log.warn(`already enrolled at ${enrollment.server}; --server ${config.server} is ignored`)
    if (this.#stopping.signal.aborted) return
    requireEncrypted(this.#peerUrl(), config.allowPlaintext)
    await this.#gate.fetchMissingKeys(this.#stopping.signal)
    await this.#runner.recover()
    await this.#updater.recover()
    await this.#capabilities.look()
    this.#assigned.start()
    const final = await this.#connection.run(this.#stopping.signal)
    if (final !== undefined) throw new AgentStopped(`the server refuses this agent for good: ${final.reason}`)
  }

  /** Ends running commands, sends what is queued, and closes the connection. */
  async stop(reason: string): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    this.#heartbeat.stop()
    this.#reporter.stop()
    await this.#updater.stop()
    await atMost(shutdownScriptsMs, this.#runner.stop())
    if (this.#connected) await atMost(shutdownFlushMs, this.#outbox.whenEmpty())
    this.#connection.close(reason)
    setTimeout(() => this.#connection.terminate(), 300).unref()
    await this.#assigned.stop()
    await this.#folder.journal.close()
    await this.#folder.control.close()
    this.#folder.release()
  }

  async #enroll(): Promise<void> {
    const { config, log, platform } = this.#options
    const { server } = config
    const { key } = this.#folder
    if (server === undefined || key === undefined)
      throw new AgentStopped(
        'this machine is not enrolled yet: give --server <url>, and the enrollment key on standard input with --key-stdin',
      )
    const facts = { ...(await platform.facts()), agentVersion }
    const machineId = await this.#machineId()
    const request = { server, key, publicKey: this.#folder.identity.publicKey, machineId, facts }
    const { enrollment, orderKeys, grantKeys } = await enroll(request, log, this.#stopping.signal)
    requireEncrypted(config.ingestUrl ?? enrollment.ingestUrl, config.allowPlaintext)
    // The keys first: an enrolled agent must not be without the keys that it was given.
    if (orderKeys !== undefined) await this.#folder.orderKeys.pin(orderKeys)
    if (grantKeys !== undefined) await this.#folder.grantKeys.pin(grantKeys)
    await this.#folder.identity.enrolled(enrollment)
    await this.#forgetKey()
    await this.#folder.settings.change({ inventoryHash: undefined })
    log.info(`enrolled as ${enrollment.deviceId} at ${server}`, { deviceId: enrollment.deviceId, server })
  }

  /** Two agents with different data folders on one machine are two devices. */
  async #machineId(): Promise<string | undefined> {
    const seed = await this.#options.platform.machineSeed()
    return seed === undefined ? undefined : sha256(`${seed}\n${await realpath(this.#options.config.dataDirectory)}`)
  }

  #enrollment(): Enrollment {
    const enrollment = this.#folder.identity.enrollment
    if (enrollment === undefined) throw new Error('The agent connects before it is enrolled')
    return enrollment
  }

  #peerUrl(): string {
    return this.#options.config.ingestUrl ?? this.#enrollment().ingestUrl
  }

  /** Once the machine is enrolled, its enrollment key is no longer needed, and could be stolen. */
  async #forgetKey(): Promise<void> {
    const { platform, config, log } = this.#options
    try {
      await forgetEnrollmentKey(this.#folder.path)
      if (config.dataDirectory === platform.defaultDataDirectory()) await platform.forgetInstalledKey()
    } catch (error) {
      log.error(`cannot remove the enrollment key: ${error instanceof Error ? error.message : error}`)
    }
  }

  #peer(bootId: number) {
    const { certificate } = this.#enrollment()
    return {
      url: this.#peerUrl(),
      certificate,
      prove: (nonce: Uint8Array) => this.#folder.identity.prove(nonce, certificate),
      bootId,
      agentVersion,
      orderKeys: this.#folder.orderKeys.serial,
      capabilities: this.#capabilities.text,
      assignmentRevision: this.#assigned.revision,
      sealingKey: this.#secrets.statement,
    }
  }

  #onWelcome({ serverTime, heartbeatMs }: Extract<DownMessage, { name: 'welcome' }>['body']): void {
    const { deviceId } = this.#enrollment()
    const fields = { deviceId, heartbeatMs }
    this.#options.log.info(
      `connected to ${this.#peerUrl()} as ${deviceId}, one heartbeat every ${heartbeatMs / 1000} s`,
      fields,
    )
    this.#connected = true
    this.#clock.learn(serverTime)
    this.#heartbeat.setInterval(heartbeatMs)
    this.#reporter.start()
    this.#folder.control.set({ welcomed: true, connected: true })
    this.#reportUpdate()
    this.#askForWatchdog(deviceId).catch((error: unknown) =>
      this.#options.log.error(`cannot prepare the key of the watchdog: ${error}`),
    )
    if (!this.#welcomed) {
      this.#options.ready?.(deviceId)
      void this.#forgetKey()
    }
    this.#welcomed = true
  }

  #onMessage(message: DownMessage): void {
    const { type } = downMessages[message.name]
    if (message.name === 'order') this.#gate.receive(message.body)
    else if (message.name === 'orderKeys')
      this.#gate
        .learn(message.body.statements)
        .catch((error: unknown) => this.#options.log.error(`cannot store the order keys: ${error}`))
    else if (message.name === 'settings' && message.body.autoUpdate === undefined) this.#onSettings(message.body)
    else if (orderedTypes.has(type)) this.#gate.refuseUnsigned(type, message)
  }

  /** Handles a message from a valid order. */
  #obey(message: DownMessage): void {
    if (message.name === 'command') this.#runner.receive(message.body)
    else if (message.name === 'request') this.#requests.receive(message.sequence, message.body)
    else if (message.name === 'cancel') this.#runner.cancel(message.body.id)
    else if (message.name === 'settings') this.#onSettings(message.body)
    else if (message.name === 'certificate')
      void storeCertificate(message.body, { ...this.#folder, deviceId: this.#enrollment().deviceId }, this.#options.log)
    else if (message.name === 'update') this.#updater.offer(message.body)
    else if (message.name === 'assignment') this.#assigned.receive(message.body)
  }

  /** Reports a refusal to the requester, and to the server in general. */
  #onRefused({ message, ...refusal }: Refused): void {
    const error = errorText(refusal.code, refusal.detail ?? '')
    if (message?.name === 'command') this.#runner.refuse(message.body.id, error)
    else if (message?.name === 'request') this.#requests.refuse(message.sequence, error)
    else if (message?.name === 'update') this.#updater.refuse(message.body, error)
    this.#outbox.refusal(refusal)
  }

  #onSettings({ heartbeatMs, autoUpdate }: Extract<DownMessage, { name: 'settings' }>['body']): void {
    if (heartbeatMs !== undefined) {
      this.#options.log.info(`one heartbeat every ${heartbeatMs / 1000} s from now on`)
      this.#heartbeat.setInterval(heartbeatMs)
    }
    if (autoUpdate === undefined) return
    this.#folder.settings
      .change({ autoUpdate })
      .catch((error: unknown) => this.#options.log.error(`cannot store a setting: ${error}`))
  }

  /** Only where there is a watchdog: it uses its own key. */
  async #askForWatchdog(deviceId: string): Promise<void> {
    const { control, watchdog } = this.#folder
    if (!control.isWatched) return
    const publicKey = await watchdog.wanting(deviceId)
    if (publicKey !== undefined) this.#outbox.watchdogKey(publicKey)
  }

  /** Something may have been installed or removed. The server learns it with the next connection. */
  async #lookAgain(): Promise<void> {
    if (await this.#capabilities.look()) this.#connection.renew('the agent can do other things than before')
  }

  /** Enrolls again after the certificate was rejected, if the agent was given a key: once, and never for a removed device. */
  async #onEnd(ending: Ending): Promise<boolean> {
    this.#connected = false
    this.#folder.control.set({ connected: false })
    await this.#capabilities.look()
    const { log } = this.#options
    const worthless = ending.code === 4010 || ending.code === 4012
    if (!worthless || !this.#mayEnrolAgain) return false
    this.#mayEnrolAgain = false
    log.warn(`${ending.reason}; enrolls again with its enrollment key`)
    try {
      await this.#enroll()
      return true
    } catch (error) {
      if (!(error instanceof EnrollmentRefused)) throw error
      log.error(error.message)
      return false
    }
  }
}
