import { Agent } from './agent.ts'
import { AgentStopped } from './agent-stopped.ts'
import { usage } from './config.ts'
import { EnrollmentRefused } from './enroll.ts'
import { exitCodes } from './exit-codes.ts'
import { readInvocation } from './invocation.ts'
import { shutdownMs } from './limits.ts'
import { createLog, type Log } from './log.ts'
import { loadPlatform } from './platform/load.ts'
import { agentVersion } from './version.ts'

/** Runs the agent with this command line until a signal or the loss of the parent ends it. */
export async function start(args: readonly string[]): Promise<void> {
  // A closed log pipe must not end the agent.
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
      restart: (version) => void stop(`version ${version} replaces this one`, exitCodes.restart),
      end: () => void stop('the watchdog ends it', 0),
    })
    const stop = stopper(agent, log)
    process.on('SIGTERM', () => void stop('SIGTERM', 0))
    process.on('SIGINT', () => void stop('SIGINT', 0))
    process.on('disconnect', () => void stop('the parent process ended', 0))
    await agent.run()
  } catch (error) {
    fail(error, log)
  }
}

function stopper(agent: Agent, log: Log): (why: string, exitCode: number) => Promise<void> {
  let stopping = false
  return async (why, exitCode) => {
    if (stopping) process.exit(exitCodes.unexpected)
    stopping = true
    log.info(`stopping: ${why}`)
    setTimeout(() => process.exit(exitCode), shutdownMs).unref()
    await agent.stop(why)
    setTimeout(() => process.exit(exitCode), 400)
  }
}

function fail(error: unknown, log: Log): never {
  if (error instanceof AgentStopped || error instanceof EnrollmentRefused) {
    log.error(error.message)
    process.exit(exitCodes.refused)
  }
  log.error(`cannot continue: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
  process.exit(exitCodes.unexpected)
}
