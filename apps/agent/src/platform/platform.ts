import type { Readable } from 'node:stream'
import type { RunScript } from '@muster/wire/commands/scripts.ts'
import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import type { Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import type { z } from 'zod'
import type { Tools } from './tools.ts'

export type ScriptLanguage = z.infer<typeof RunScript>['language']

/** The facts of the machine; the agent adds its own version. */
export type SystemFacts = Omit<Facts, 'agentVersion'>

/** The sections of an inventory that take time to collect. */
export type InventorySections = Omit<Inventory, 'hash' | 'facts'>

export interface ScriptStart {
  commandId: string
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
  /** Undefined when the interpreter is not installed. */
  startScript(start: ScriptStart): Promise<RunningScript | undefined>
  /** Kills processes that scripts of these commands left running after the agent was killed. */
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
  /** Removes the enrollment key from the service settings of an earlier installer. */
  forgetInstalledKey(): Promise<void>
  /** Identifies a running process, even if its PID is reused; undefined when it has ended. */
  identify(pid: number): Promise<string | undefined>
}
