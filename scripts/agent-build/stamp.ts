import { open, readFile, rename, rm } from 'node:fs/promises'
import type { Release } from '../../apps/agent/src/release.ts'

const stampBytes = 64 * 1024
// Assembled here, so that the program's own text does not contain it.
const mark = ['{"muster":"agent', 'release"'].join('-')

/** The release file of an unreleased executable: of fixed length, with room for the content. */
export function blankStamp(): Buffer {
  return stampOf({ version: '0.0.0' })
}

function stampOf(release: Release): Buffer {
  const text = `${mark},${JSON.stringify(release).slice(1)}`
  const stamp = Buffer.alloc(stampBytes, ' ')
  if (stamp.write(text) < Buffer.byteLength(text) || text.length > stampBytes)
    throw new Error('The trusted root is too large for the executable')
  return stamp
}

/**
 * Turns a built executable into a release. Only its release file differs, so that one build serves any number of versions.
 * @param finish adds what else differs between versions
 * Written in small chunks: the kernel keeps a file in pages of the size of its writes, and maps large ones as a whole.
 */
export async function stamp(
  from: string,
  to: string,
  release: Release,
  finish: (file: Buffer) => Promise<Buffer> = async (file) => file,
): Promise<void> {
  const file = await readFile(from)
  const at = file.indexOf(mark)
  if (at === -1 || file.indexOf(mark, at + 1) !== -1) throw new Error(`${from} is not an executable of the agent`)
  stampOf(release).copy(file, at)
  await writeExecutable(to, await finish(file))
}

/** Writes an executable atomically. */
export async function writeExecutable(path: string, content: Buffer): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`
  try {
    const file = await open(unfinished, 'w', 0o755)
    try {
      for (let at = 0; at < content.length; at += 64 * 1024) await file.write(content.subarray(at, at + 64 * 1024))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
