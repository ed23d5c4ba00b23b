import { createHash } from 'node:crypto'
import {
  type FileEntry,
  FileList,
  FilePiece,
  ListFiles,
  ReadFile,
  WriteFile,
  WrittenFile,
} from '@muster/wire/commands/files.ts'
import type { Machine } from '../machine.ts'
import { Refusal, type Tools, tool } from './tool.ts'

type Content = Map<string, Content> | Buffer

const folder = (entries: Readonly<Record<string, Content>>): Content => new Map(Object.entries(entries))
const text = (content: string): Content => Buffer.from(content)

/** What stands in the file system of such a machine. */
function treeOf({ platform: { osType }, inventory: { facts, users } }: Machine): Content {
  const person = users.find(({ admin }) => !admin)?.name ?? 'user'
  const home = folder({
    Documents: folder({ 'notes.txt': text('Call the supplier about the printer\r\n') }),
    Downloads: folder({}),
  })
  if (osType === 'windows')
    return folder({
      'C:': folder({
        'Program Files': folder({ Muster: folder({}), Google: folder({ Chrome: folder({}) }) }),
        Users: folder({ [person]: home, Public: folder({}) }),
        Windows: folder({
          System32: folder({ drivers: folder({ etc: folder({ hosts: text('127.0.0.1 localhost\r\n') }) }) }),
          'WindowsUpdate.log': text('Windows Update logs are now generated using ETW.\r\n'),
        }),
      }),
    })
  const etc = folder({ hostname: text(`${facts.hostname}\n`), hosts: text('127.0.0.1 localhost\n') })
  if (osType === 'macos')
    return folder({ Applications: folder({}), Users: folder({ [person]: home }), private: folder({ etc }) })
  const log = folder({ syslog: text('systemd[1]: Started cron.service.\n') })
  return folder({ etc, home: folder({ [person]: home }), root: folder({}), var: folder({ log }) })
}

const parts = (path: string) => path.split(/[\\/]/).filter(Boolean)

/** The file system of a simulated machine. What is uploaded stays until the demo ends. */
export class Files {
  readonly #tree: Content
  readonly #isWindows: boolean
  /** Uploads that are not complete, by their id. */
  readonly #uploads: Map<string, Buffer> = new Map()

  constructor(machine: Machine) {
    this.#tree = treeOf(machine)
    this.#isWindows = machine.platform.osType === 'windows'
  }

  get tools(): Tools {
    return {
      list_files: tool(ListFiles, FileList, ({ path }, now) => {
        const found = this.#find(path)
        if (Buffer.isBuffer(found)) throw new Refusal('INVALID_PAYLOAD', `${path} is not a folder`)
        return { path, entries: [...found].map(([name, content]) => this.#entry(name, content, now)), truncated: false }
      }),
      read_file: (payload) => {
        const { path, offset, length } = ReadFile.parse(payload)
        const content = this.#find(path)
        if (!Buffer.isBuffer(content)) throw new Refusal('INVALID_PAYLOAD', `${path} is not a file`)
        const name = parts(path).at(-1) ?? path
        const result = FilePiece.parse({ name, sizeBytes: content.length, version: hashOf(content) })
        return { result, data: content.subarray(offset, offset + length) }
      },
      write_file: (payload, _, data) => ({ result: this.#write(WriteFile.parse(payload), data) }),
    }
  }

  #find(path: string): Content {
    let found: Content | undefined = this.#tree
    for (const name of parts(path)) found = Buffer.isBuffer(found) ? undefined : this.#child(found, name)
    if (found === undefined) throw new Refusal('NOT_FOUND', `${path} does not exist`)
    return found
  }

  #child(within: Map<string, Content> | undefined, name: string): Content | undefined {
    if (!this.#isWindows) return within?.get(name)
    return [...(within ?? [])].find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1]
  }

  #write({ path, uploadId, offset, last, abort, overwrite }: ReturnType<typeof WriteFile.parse>, data: Uint8Array) {
    const before = this.#uploads.get(uploadId) ?? Buffer.alloc(0)
    const content = Buffer.concat([before.subarray(0, offset), data])
    if (abort || last) this.#uploads.delete(uploadId)
    else this.#uploads.set(uploadId, content)
    if (abort || !last) return WrittenFile.parse({ path, sizeBytes: content.length, sha256: null })
    const names = parts(path)
    const name = names.pop() ?? ''
    const within = this.#find(names.join('/'))
    if (Buffer.isBuffer(within)) throw new Refusal('NOT_FOUND', `${path} is in no folder`)
    if (within.has(name) && !overwrite) throw new Refusal('EXISTS', `${path} exists`)
    within.set(name, content)
    return WrittenFile.parse({ path, sizeBytes: content.length, sha256: hashOf(content) })
  }

  #entry(name: string, content: Content, now: number): FileEntry {
    const isFile = Buffer.isBuffer(content)
    return {
      name,
      type: isFile ? 'file' : 'directory',
      sizeBytes: isFile ? content.length : 0,
      modifiedAt: new Date(now - (now % 86_400_000)).toISOString(),
      mode: isFile ? '0644' : '0755',
      owner: this.#isWindows ? 'BUILTIN\\Administrators' : 'root',
      group: this.#isWindows ? 'NT AUTHORITY\\SYSTEM' : 'root',
      target: null,
    }
  }
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
