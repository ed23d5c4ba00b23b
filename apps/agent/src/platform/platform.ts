import type { Readable } from 'node:stream'
import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import type { Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import type { Tools } from './tools.ts'

/** What the machine says about itself; the agent adds its own version. */
export type SystemFacts = Omit<Facts, 'agentVersion'>

/** The parts of an inventory that take time to collect. */
export type InventorySections = Omit<Inventory, 'hash' | 'facts'>

export type ScriptLanguage = 'bash' | 'sh' | 'python' | 'powershell'

export interface ScriptStart {
  commandId: string
  language: ScriptLanguage
  /** The file that holds the script. */
  file: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  workingDirectory: string
}

export interface ScriptEnd {
  /** For a script that a signal ended, what a shell would report. */
  exitCode: number | null
  /** Name of the signal that ended it, when it did not end by itself. */
  signal: string | null
}

/** A running script with everything that it has started. */
export interface RunningScript {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the script itself has ended; rejects when it could not be started. */
  readonly ended: Promise<ScriptEnd>
  /** Asks the whole group of processes to end. */
  terminate(): void
  /** Ends the whole group, and what has left it, without asking. */
  kill(): void
}

/** Ten cheap figures about the machine, null where it cannot tell. CPU and the like count from the last call. */
export interface Vitals {
  read(): Promise<Heartbeat>
}

/** Everything that differs between operating systems. Nothing outside platform/ asks which one it runs on. */
export interface Platform {
  defaultDataDirectory(): string
  /** A stable name of this installation of the operating system, undefined where there is none. */
  machineSeed(): Promise<string | undefined>
  facts(): Promise<SystemFacts>
  vitals(): Vitals
  /** Heavy: runs in a process of its own, see inventory-process.ts. */
  collectInventory(): Promise<InventorySections>
  /** What people do at the machine. @param secret folders that no tool shows: the agent's own */
  tools(secret: readonly string[]): Tools
  /** Undefined when the interpreter is not installed. */
  startScript(start: ScriptStart): Promise<RunningScript | undefined>
  /** Ends what scripts of these commands have left running after the agent itself was killed. */
  endLeftovers(commandIds: ReadonlySet<string>): Promise<void>
  /**
   * Takes the data folder for a part of the agent, undefined when another process holds it. Let go by the answer or the end of
   * the process, however it ends.
   */
  claim(dataDirectory: string, part: 'agent' | 'watchdog'): Promise<(() => void) | undefined>
  /** Removes the enrollment key from the settings that an earlier installer wrote for the service. */
  forgetInstalledKey(): Promise<void>
  /** Names a running process for good, so that a later one with the same number is another; undefined when it has ended. */
  identify(pid: number): Promise<string | undefined>
}
