import { ToolFailure } from '../../../tool-failure.ts'
import { type Mac, run } from '../mac.ts'

/** Exit codes of launchctl, which are errors of the system or its own. */
const notPermitted = new Set([1, 13, 125, 150])
const stillEnding = 36
const unknownService = new Set([3, 113])

/** Runs launchctl. @throws ToolFailure with its own message */
export async function launchctl(mac: Mac, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(mac, 'launchctl', args)
  // A service that takes a while to end is unloaded all the same.
  if (exitCode === 0 || (exitCode === stillEnding && args[0] === 'bootout')) return stdout
  const words = stderr.trim() || stdout.trim() || `launchctl ended with exit code ${exitCode}`
  if (unknownService.has(exitCode) || /could not find service/i.test(words))
    throw new ToolFailure('NOT_FOUND', `launchd knows no service ${args.at(-1)?.replace(/^system\//, '')}`)
  if (notPermitted.has(exitCode) || /not permitted|not privileged|system integrity protection/i.test(words))
    throw new ToolFailure('NOT_PERMITTED', words.slice(0, 500))
  throw new ToolFailure('COMMAND_FAILED', words.slice(0, 500))
}
