import { type FileHandle, open, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { diskReserveBytes, downloadPauseMs, downloadStallMs, downloadTimeoutMs, downloadTriesMax } from '../limits.ts'
import { pause } from '../pause.ts'
import { get } from './http-get.ts'
import { UpdateRefused } from './update-refused.ts'

export interface Download {
  url: string
  /** Contains the bytes so far, also from an earlier attempt. */
  file: string
  bytes: number
  stallMs?: number
  timeoutMs?: number
  pauseMs?: number
}

/**
 * Fetches a file of a known length, and resumes where an earlier attempt was interrupted. Never writes or reads more than
 * that length. @throws UpdateRefused; received bytes stay, unless they cannot be part of the file
 */
export async function download(wanted: Download): Promise<void> {
  const limit = AbortSignal.timeout(wanted.timeoutMs ?? downloadTimeoutMs)
  const file = await open(wanted.file, 'a', 0o600)
  try {
    let held = (await file.stat()).size
    if (held > wanted.bytes) held = await emptied(file)
    await checkRoom(wanted, held)
    for (let tries = 1; held < wanted.bytes; tries++) {
      const before = held
      const broke = await fetchRest(wanted, file, held, limit)
      held = (await file.stat()).size
      if (broke === undefined) continue
      if (limit.aborted) throw new UpdateRefused('download_failed', `too slow: ${held} of ${wanted.bytes} bytes so far`)
      if (held > before) tries = 0
      if (tries >= downloadTriesMax) throw broke
      await pause(wanted.pauseMs ?? downloadPauseMs, limit).catch(() => undefined)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

async function checkRoom({ file, bytes }: Download, held: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file))
  const [free, wanted] = [bavail * bsize, bytes - held + diskReserveBytes]
  if (free < wanted) throw new UpdateRefused('disk_full', `${free} bytes free in ${dirname(file)}, ${wanted} needed`)
}

async function emptied(file: FileHandle): Promise<number> {
  await file.truncate(0)
  return 0
}

/** One request. @returns why it was interrupted; undefined when the file's length has to be checked again */
async function fetchRest(
  { url, bytes, stallMs = downloadStallMs }: Download,
  file: FileHandle,
  held: number,
  limit: AbortSignal,
): Promise<UpdateRefused | undefined> {
  const stalled = new AbortController()
  let timer = setTimeout(() => stalled.abort(), stallMs)
  try {
    const headers: Record<string, string> = held > 0 ? { range: `bytes=${held}-` } : {}
    const answer = await get(url, headers, AbortSignal.any([limit, stalled.signal]))
    const status = answer.statusCode ?? 0
    let at = held
    const begins = new RegExp(`^bytes ${held}-`).test(answer.headers['content-range'] ?? '')
    if (status === 416 || status === 200 || (status === 206 && !begins)) at = await emptied(file)
    if (status === 416 || (status === 206 && !begins)) {
      answer.destroy()
      return new UpdateRefused('download_failed', `${url} does not resume at byte ${held}`)
    }
    if (status !== 200 && status !== 206) {
      answer.destroy()
      return new UpdateRefused('download_failed', `${url} answered ${status}`)
    }
    const announced = answer.headers['content-length']
    if (announced !== undefined && at + Number(announced) !== bytes) {
      answer.destroy()
      await emptied(file)
      throw new UpdateRefused(
        'size_mismatch',
        `${at + Number(announced)} bytes announced, but the release has ${bytes}`,
      )
    }
    for await (const piece of answer) {
      if (!(piece instanceof Buffer)) continue
      clearTimeout(timer)
      timer = setTimeout(() => stalled.abort(), stallMs)
      at += piece.length
      if (at > bytes) {
        await emptied(file)
        throw new UpdateRefused('size_mismatch', `received more than the ${bytes} bytes of the release`)
      }
      await file.write(piece)
    }
    if (at < bytes) return new UpdateRefused('download_failed', `interrupted at byte ${at} of ${bytes}`)
    return undefined
  } catch (error) {
    if (error instanceof UpdateRefused || isDiskError(error)) throw error
    const why = stalled.signal.aborted ? `no data for ${stallMs / 1000} s` : String(error)
    return new UpdateRefused('download_failed', `${url}: ${why}`)
  } finally {
    clearTimeout(timer)
  }
}

function isDiskError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write' && !('address' in error)
}
