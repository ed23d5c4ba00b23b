import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { chmod, open, rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { z } from 'zod'
import { executableBytesMax, jobCharsMax, versionCheckTimeoutMs } from '../limits.ts'
import { onLines } from '../line-reader.ts'
import { loadPlatform } from '../platform/load.ts'
import { useSystemProxies } from '../proxy.ts'
import { download } from './download.ts'
import { hashOf, Installation } from './installation.ts'
import { trustedTarget } from './trusted-target.ts'
import { refusalFrom, UpdateRefused } from './update-refused.ts'

export const FetchJob = z.object({
  version: z.string(),
  url: z.string(),
  sha256: z.string(),
  size: z.int().min(1),
  metadataUrl: z.string(),
  target: z.string(),
  /** The agent's executable; the new one is written beside it. */
  executable: z.string(),
  trust: z.object({ folder: z.string(), root: z.string() }),
})
export type FetchJob = z.infer<typeof FetchJob>

/** The output of the process: one JSON object per line. */
export const FetchMessage = z.union([
  z.object({ state: z.enum(['downloading', 'verifying', 'ready']) }),
  z.object({ refused: z.object({ reason: z.string(), words: z.string() }) }),
])
export type FetchMessage = z.infer<typeof FetchMessage>

/**
 * Fetches and verifies a new executable in a separate process, so that the memory for verification, some ten megabytes of
 * code and data, is not kept by the agent.
 */
export async function fetchUpdate(): Promise<void> {
  useSystemProxies((await loadPlatform()).systemProxies)
  const job = FetchJob.parse(JSON.parse(await firstLine(process.stdin)))
  const say = (message: FetchMessage) => process.stdout.write(`${JSON.stringify(message)}\n`)
  try {
    await fetchChecked(job, (state) => say({ state }))
    say({ state: 'ready' })
  } catch (error) {
    const { reason, message } = refusalFrom(error)
    say({ refused: { reason, words: message } })
  }
  process.stdin.destroy()
}

// The agent holds the other end: if it is killed, two of these processes must not write to one file.
function firstLine(input: Readable): Promise<string> {
  input.once('end', () => process.exit(1))
  return new Promise((resolve) => onLines(input, jobCharsMax, resolve))
}

/** Leaves the verified executable as `next` in the installation. @throws UpdateRefused, or file errors of the system */
export async function fetchChecked(job: FetchJob, enter: (state: 'downloading' | 'verifying') => void): Promise<void> {
  const installation = new Installation(job.executable)
  if (job.size > executableBytesMax)
    throw new UpdateRefused('size_mismatch', `${job.size} bytes exceed the size of any agent`)
  enter('downloading')
  const target = await trustedTarget(job, job.trust)
  if ((await hashOf(installation.next)) !== job.sha256) {
    await download({ url: job.url, file: installation.part, bytes: job.size })
    enter('verifying')
    if ((await hashOf(installation.part)) !== job.sha256) {
      await rm(installation.part, { force: true })
      throw new UpdateRefused('hash_mismatch', 'the fetched file does not match its signed hash')
    }
    await target.verify(createReadStream(installation.part))
    await chmod(installation.part, 0o755)
    // Windows writes a file to the disk only through a handle that may write.
    const file = await open(installation.part, 'r+')
    await file.sync().finally(() => file.close())
    await rename(installation.part, installation.next)
  } else enter('verifying')
  await checkReportedVersion(installation.next, job.version)
}

/** An executable that cannot print its version on this machine is not tried. */
export async function checkReportedVersion(executable: string, version: string): Promise<void> {
  try {
    const { stdout } = await promisify(execFile)(executable, ['--version'], { timeout: versionCheckTimeoutMs })
    if (stdout.trim() === version) return
    throw new UpdateRefused('wrong_target', `it reports version ${stdout.trim().slice(0, 64)}`)
  } catch (error) {
    if (error instanceof UpdateRefused) throw error
    if (!(error instanceof Error)) throw error
    // Held by another program, such as one that looks for viruses: nothing is known about the version.
    if (refusalFrom(error).reason === 'file_locked') throw refusalFrom(error)
    if ('killed' in error && error.killed === true)
      throw new UpdateRefused('install_failed', 'the new version took too long to print its version')
    throw new UpdateRefused('did_not_start', `the new version does not run here: ${error.message}`)
  }
}
