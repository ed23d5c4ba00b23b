import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ReleaseTarget, releaseTargetPath } from '@muster/wire/release.ts'
import { type Fetcher, type TargetFile, Updater } from 'tuf-js'
import { DownloadHTTPError } from 'tuf-js/dist/error.js'
import { writeDurably } from '../durable-file.ts'
import { metadataTimeoutMs } from '../limits.ts'
import { osName } from '../platform/os-name.ts'
import { get } from './http-get.ts'
import { UpdateRefused } from './update-refused.ts'

export interface TargetWanted {
  version: string
  sha256: string
  size: number
  metadataUrl: string
  target: string
}

export interface Trust {
  /** The folder of trusted metadata: anything older is rejected. */
  folder: string
  /** The initial root, which came with the agent. */
  root: string
}

const rootName = 'root.json'

/**
 * Updates the metadata and looks up the offered executable in it. Every field of the offer must match the signed metadata.
 * @throws UpdateRefused
 */
export async function trustedTarget(wanted: TargetWanted, { folder, root }: Trust): Promise<TargetFile> {
  const scratch = `${folder}.new`
  await rm(scratch, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await cp(folder, scratch, { recursive: true })
  if (!(await isReadable(join(scratch, rootName)))) await writeDurably(join(scratch, rootName), root)
  const fetcher = new MetadataFetcher()
  try {
    const updater = new Updater({ metadataDir: scratch, metadataBaseUrl: wanted.metadataUrl, fetcher })
    await updater.refresh()
    return checked(await updater.getTargetInfo(wanted.target), wanted)
  } catch (error) {
    throw refusalOf(error, fetcher)
  } finally {
    // Metadata that was verified before a failure still protects against older metadata.
    await keep(scratch, folder)
  }
}

function checked(target: TargetFile | undefined, wanted: TargetWanted): TargetFile {
  if (target === undefined) throw new UpdateRefused('untrusted', `${wanted.target} is not among the signed releases`)
  const said = ReleaseTarget.safeParse(target.custom)
  if (!said.success || releaseTargetPath(said.data) !== wanted.target)
    throw new UpdateRefused('wrong_target', `${wanted.target} is signed for another version or platform`)
  const { version, os, arch } = said.data
  if (version !== wanted.version || os !== osName || arch !== process.arch)
    throw new UpdateRefused('wrong_target', `${version} for ${os}-${arch} does not match the offer or this machine`)
  if (target.length !== wanted.size)
    throw new UpdateRefused('size_mismatch', 'the size in the offer differs from the signed release')
  if (target.hashes.sha256 !== wanted.sha256)
    throw new UpdateRefused('hash_mismatch', 'the SHA-256 in the offer differs from the signed release')
  return target
}

function refusalOf(error: unknown, { failure }: MetadataFetcher): UpdateRefused {
  if (error instanceof UpdateRefused) return error
  if (failure !== undefined) return new UpdateRefused('download_failed', failure)
  const words = error instanceof Error ? error.message : String(error)
  return new UpdateRefused(/expired/i.test(words) ? 'metadata_expired' : 'untrusted', words)
}

async function keep(scratch: string, folder: string): Promise<void> {
  const names = await readdir(scratch).catch(() => [])
  // The root first: metadata that it no longer signs must not be used with an older root.
  for (const name of names.sort((one, other) => Number(other === rootName) - Number(one === rootName))) {
    const content = await readFile(join(scratch, name))
    const held = await readFile(join(folder, name)).catch(() => undefined)
    if (held === undefined || !held.equals(content)) await writeDurably(join(folder, name), content)
  }
  await rm(scratch, { recursive: true, force: true })
}

async function isReadable(path: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(path, 'utf8'))
    return true
  } catch {
    return false
  }
}

/** The runtime's own fetch would load code that the agent does not need otherwise. */
class MetadataFetcher implements Fetcher {
  /** Why the last request failed, unless the file does not exist. */
  failure: string | undefined

  async downloadBytes(url: string, bytesMax: number): Promise<Buffer> {
    this.failure = undefined
    const pieces: Buffer[] = []
    let bytes = 0
    try {
      const answer = await get(url, {}, AbortSignal.timeout(metadataTimeoutMs))
      if (answer.statusCode !== 200) {
        answer.destroy()
        if (answer.statusCode === 404 || answer.statusCode === 403)
          throw new DownloadHTTPError(`There is no ${url}`, answer.statusCode)
        throw new Error(`it answered ${answer.statusCode}`)
      }
      for await (const piece of answer) {
        if (!(piece instanceof Buffer)) continue
        bytes += piece.length
        if (bytes > bytesMax) throw new UpdateRefused('untrusted', `${url} is larger than ${bytesMax} bytes`)
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    } catch (error) {
      if (!(error instanceof DownloadHTTPError) && !(error instanceof UpdateRefused)) this.failure = `${url}: ${error}`
      throw error
    }
  }

  downloadFile(): Promise<never> {
    throw new Error('Executables are fetched in another way, so that they can be continued')
  }
}
