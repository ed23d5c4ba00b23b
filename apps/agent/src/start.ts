import { Agent } from './agent.ts'
import { AgentStopped } from './agent-stopped.ts'
import { ConfigError, type Invocation, readCommandLine, usage, useProxy } from './config.ts'
import { EnrolmentRefused } from './enrol.ts'
import { shutdownMs } from './limits.ts'
import { createLog, type Log } from './log.ts'
import { loadPlatform } from './platform/load.ts'
import type { Platform } from './platform/platform.ts'
import { agentVersion } from './version.ts'

/**
 * Exit codes: 1 unexpected, 2 wrong command line, 3 a person has to act (`RestartPreventExitStatus=2 3` for systemd),
 * 75 another version is to be started in place of this one.
 */
export const exitCodes = { unexpected: 1, usage: 2, refused: 3, restart: 75 } as const

/** Runs the agent with this command line until a signal or the loss of the parent ends it. */
export async function start(args: readonly string[]): Promise<void> {
  // A reader of the log that goes away must not end the agent.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const platform = await loadPlatform()
  const invocation = readInvocation(args, platform)
  if (invocation.kind === 'help') return void process.stdout.write(`${usage}\n`)
  if (invocation.kind === 'version') return void process.stdout.write(`${agentVersion}\n`)
  const { config } = invocation
  const log = createLog(config.logJson, (line) => process.stdout.write(line))
  try {
    const agent: Agent = await Agent.open({
      config,
      platform,
      log,
      ready: (deviceId) => process.send?.({ ready: true, deviceId }),
      restart: (version) => void stop(`${version} takes over`, exitCodes.restart),
    })
    const stop = stopper(agent, log)
    process.on('SIGTERM', () => void stop('SIGTERM', 0))
    process.on('SIGINT', () => void stop('SIGINT', 0))
    process.on('disconnect', () => void stop('the process that started it is gone', 0))
    await agent.run()
  } catch (error) {
    fail(error, log)
  }
}

/** Reads the command line, or says what is wrong with it and ends. */
export function readInvocation(args: readonly string[], platform: Platform): Invocation {
  try {
    const invocation = readCommandLine(args, platform.defaultDataDirectory())
    if (invocation.kind === 'run' && invocation.config.proxy !== undefined) useProxy(invocation.config.proxy)
    return invocation
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n\n${usage}\n`)
    process.exit(exitCodes.usage)
  }
}

function stopper(agent: Agent, log: Log): (why: string, exitCode: number) => Promise<void> {
  let stopping = false
  return async (why, exitCode) => {
    if (stopping) process.exit(exitCodes.unexpected)
    stopping = true
    log.info(`stops: ${why}`)
    setTimeout(() => process.exit(exitCode), shutdownMs).unref()
    await agent.stop(why)
    setTimeout(() => process.exit(exitCode), 400)
  }
}

function fail(error: unknown, log: Log): never {
  if (error instanceof AgentStopped || error instanceof EnrolmentRefused) {
    log.error(error.message)
    process.exit(exitCodes.refused)
  }
  log.error(`cannot go on: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
  process.exit(exitCodes.unexpected)
}
