import type { Config } from './config.ts'
import type { Log } from './log.ts'
import type { Platform } from './platform/platform.ts'

export interface AgentOptions {
  config: Config
  platform: Platform
  log: Log
  /** Called at the first welcome. */
  ready?: (deviceId: string) => void
  /** Called when another version has replaced this executable and has to be started. */
  restart?: (version: string) => void
  /** Called when the watchdog asks the agent to end. */
  end?: () => void
}
