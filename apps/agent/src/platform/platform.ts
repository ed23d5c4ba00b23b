import type { Readable } from 'node:stream'
import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import type { Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import type { Tools } from './tools.ts'

/** The facts of the machine; the agent adds its own version. */
export type SystemFacts = Omit<Facts, 'agentVersion'>

/** The sections of an inventory that take time to collect. */
export type InventorySections = Omit<Inventory, 'hash' | 'facts'>

export type ScriptLanguage = 'bash' | 'sh' | 'python' | 'powershell'

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

/** Everything that differs between operating systems. Code outside platform/ never checks the system. */
export interface Platform {
  defaultDataDirectory(): string
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
  /** Removes the enrollment key from the service settings of an earlier installer. */
  forgetInstalledKey(): Promise<void>
  /** Identifies a running process, even if its PID is reused; undefined when it has ended. */
  identify(pid: number): Promise<string | undefined>
}
