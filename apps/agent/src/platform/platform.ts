import type { Readable } from 'node:stream'
import type { Obstacles } from '@muster/wire/capabilities.ts'
import type { RunScript } from '@muster/wire/commands/scripts.ts'
import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import type { Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import type { z } from 'zod'
import type { Installation } from '../update/installation.ts'
import type { Tools } from './tools.ts'

export type ScriptLanguage = z.infer<typeof RunScript>['language']

/** The facts of the machine; the agent adds its own version. */
export type SystemFacts = Omit<Facts, 'agentVersion'>

/** The sections of an inventory that take time to collect. */
export type InventorySections = Omit<Inventory, 'hash' | 'facts'>

export interface ScriptStart {
  commandId: string
  /** Whose account runs it: that of the agent, unless `user` asks for the user who is signed in. */
  runAs?: z.infer<typeof RunScript>['runAs']
  /** The account for `user`, unless it is that of the user who is signed in. */
  runAsUser?: string | undefined
  language: ScriptLanguage
  /** The path of the script's file. */
  file: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  workingDirectory: string
}

export interface ScriptEnd {
  /** For a script that a signal ended: the code that a shell would report. */
  exitCode: number | null
  /** Name of the signal that ended it, if any. */
  signal: string | null
}

/** A running script with all its child processes. */
export interface RunningScript {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the script itself has ended; rejects when it could not be started. */
  readonly ended: Promise<ScriptEnd>
  /** Asks the whole process group to end. */
  terminate(): void
  /** Kills the whole group, and processes that left it. */
  kill(): void
  /** Removes files that it needed outside of its folder. */
  removeFiles?(): Promise<void>
  /** Makes the decoder of an output; without it the output is UTF-8. */
  decoder?(): OutputDecoder
}

/** Decodes bytes that arrive in pieces, which may end within a character. */
export interface OutputDecoder {
  write(chunk: Buffer): string
  /** The rest. */
  end(): string
}

/** Ten cheap figures about the machine; null where unknown. CPU and network count since the previous call. */
export interface Vitals {
  read(): Promise<Heartbeat>
}

/** An address for a local socket, and what to do once it is bound or connected. */
export interface ControlAddress {
  path: string
  close(): Promise<void>
}

/** A manager of services that starts and stops this process by its own protocol, rather than by signals. */
export interface ServiceManager {
  onStop(work: () => void): void
  /** Tells the manager that the service has stopped. */
  stopped(exitCode: number): void
  /** Writes to the event log of the system. Never rejects. */
  report(kind: ServiceEvent, message: string): Promise<void>
}

export type ServiceEvent = 'started' | 'stopped' | 'warning' | 'error'

export interface WantedService {
  installation: Installation
  /** Those of the watchdog; undefined keeps those of the existing service. */
  flags: readonly string[] | undefined
  /** Added to the environment of an existing service. */
  environment: Readonly<Record<string, string>>
  start: boolean
}

/** Makes the watchdog a service of the system. */
export interface ServiceSetup {
  isInstalled(): Promise<boolean>
  /** The exit code with which the service ended; undefined while it runs. */
  exitCode(): Promise<number | undefined>
  /** Creates the service or changes it, with its executable. A service that could not be created is removed again. */
  install(wanted: WantedService): Promise<void>
  /** Stops the service and removes it, with all files beside the executable that the agent itself created. */
  remove(installation: Installation): Promise<void>
}

/** What `ping` reported. */
export interface Pinged {
  received: number
  /** Null without an answer. */
  averageMs: number | null
}

/** Everything that differs between operating systems. Code outside platform/ never checks the system. */
export interface Platform {
  defaultDataDirectory(): string
  /** Creates a folder where missing, and restricts it to the user of the agent. @throws when it belongs to another user */
  closeFolder(directory: string): Promise<void>
  /** A stable identifier of this installation of the operating system; undefined without one. */
  machineSeed(): Promise<string | undefined>
  facts(): Promise<SystemFacts>
  vitals(): Vitals
  /** Expensive: runs in a separate process, see inventory-process.ts. */
  collectInventory(): Promise<InventorySections>
  /** Tools for interactive use of the machine. @param secret folders without access: the agent's own */
  tools(secret: readonly string[]): Tools
  /** What the agent cannot do on this machine as it is now. Cheap: asked before each connection. Never rejects. */
  obstacles(): Promise<Obstacles>
  /** Sends echo requests to an address, one per second. @throws ToolFailure when the machine cannot */
  ping(address: string, count: number, waitSeconds: number): Promise<Pinged>
  /** Undefined when the interpreter is not installed. */
  startScript(start: ScriptStart): Promise<RunningScript | undefined>
  /** Ends what scripts of these commands left behind after the agent was killed: processes, and files outside of its folder. */
  endLeftovers(commandIds: ReadonlySet<string>): Promise<void>
  /**
   * Claims the data folder for a part of the agent; undefined when another process holds it. The claim ends with the returned
   * function or with the process, however it ends.
   */
  claim(dataDirectory: string, part: 'agent' | 'watchdog'): Promise<(() => void) | undefined>
  /** A new address for the agent's control socket, which only the owner of the data folder can reach. */
  ownControlAddress(dataDirectory: string): Promise<ControlAddress>
  /** Where the agent's control socket is; undefined when there is none. */
  controlAddress(dataDirectory: string): Promise<ControlAddress | undefined>
  /** Whether SIGTERM asks a process to end; on other systems it would kill it. */
  readonly hasSignals: boolean
  /** Replaces the program of this process; undefined on systems that cannot. */
  readonly continueAs: ((program: string, args: readonly string[]) => void) | undefined
  /** Joins the manager that started this process as a service; undefined where services are ordinary processes. */
  readonly joinServiceManager: (() => Promise<ServiceManager>) | undefined
  /** The program of a process that runs a script as another user. @returns the exit code of the script */
  readonly runUserScript: (script: string) => Promise<number>
  /** Addresses of the proxies that the system has for an address, best first; undefined on systems without such settings. */
  readonly systemProxies: ((target: URL) => Promise<string[]>) | undefined
  /** Undefined where a script sets up the service. */
  readonly setup: ServiceSetup | undefined
  /** Removes the enrollment key from the service settings of an earlier installer. */
  forgetInstalledKey(): Promise<void>
  /** Identifies a running process, even if its PID is reused; undefined when it has ended. */
  identify(pid: number): Promise<string | undefined>
}
