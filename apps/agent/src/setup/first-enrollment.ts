import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import { enrolledAt } from '../identity.ts'
import { pause } from '../pause.ts'
import type { ServiceSetup } from '../platform/platform.ts'

const lookEveryMs = 300

/**
 * Waits until the service has enrolled.
 * @param patienceMs how long; a server that cannot be reached is asked again later, so that is no refusal
 * @returns why the service was refused; undefined if it was not
 */
export async function enrollmentRefusal(
  setup: Pick<ServiceSetup, 'exitCode'>,
  directory: string,
  patienceMs = 20_000,
): Promise<string | undefined> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline && (await enrolledAt(directory)) === undefined) {
    if ((await setup.exitCode()) === exitCodes.refused) return lastError(directory)
    await pause(lookEveryMs, new AbortController().signal)
  }
  return undefined
}

/** The last error of the agent in the log of the service. */
async function lastError(directory: string): Promise<string> {
  const log = await readFile(join(directory, 'service.log'), 'utf8').catch(() => '')
  const lines = [...log.matchAll(/^\S+ {2}error: (?!watchdog: )(.*)$/gm)]
  return lines.at(-1)?.[1]?.trim() ?? 'the agent could not enroll; its service.log says why'
}
