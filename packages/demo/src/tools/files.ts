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
import { windowsPathFault } from '@muster/wire/commands/windows-path.ts'
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
    return folder({
      Applications: folder({}),
      Library: folder({ LaunchDaemons: folder({}), Logs: folder({}) }),
      Users: folder({ [person]: home, Shared: folder({}) }),
      Volumes: folder({ 'Macintosh HD': folder({}) }),
      private: folder({ etc }),
      tmp: folder({}),
    })
  const log = folder({ syslog: text('systemd[1]: Started cron.service.\n') })
  return folder({ etc, home: folder({ [person]: home }), root: folder({}), var: folder({ log }) })
}

const parts = (path: string) => path.split(/[\\/]/).filter(Boolean)

/** The file system of a simulated machine. What is uploaded stays until the demo ends. */
export class Files {
  readonly #tree: Content
  readonly #osType: Machine['platform']['osType']
  /** Uploads that are not complete, by their id. */
  readonly #uploads: Map<string, Buffer> = new Map()

  constructor(machine: Machine) {
    this.#tree = treeOf(machine)
    this.#osType = machine.platform.osType
  }

  get tools(): Tools {
    return {
      list_files: tool(ListFiles, FileList, ({ path }, now) => {
        const found = this.#find(path)
        if (Buffer.isBuffer(found)) throw new Refusal('INVALID_PAYLOAD', `${path} is not a folder`)
        return {
          path,
          entries: [...found].map(([name, content]) => this.#entry(path, name, content, now)),
          truncated: false,
        }
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

  get #isWindows(): boolean {
    return this.#osType === 'windows'
  }

  /** Refuses the paths that the agent refuses. */
  #requireLocal(path: string): void {
    // The list of drives.
    if (!this.#isWindows || /^[\\/]?$/.test(path)) return
    const fault = windowsPathFault(path)
    if (fault !== undefined) throw new Refusal('INVALID_PAYLOAD', `path ${path} ${fault}`)
  }

  #find(path: string): Content {
    this.#requireLocal(path)
    let found: Content | undefined = this.#tree
    for (const name of parts(path)) found = Buffer.isBuffer(found) ? undefined : this.#child(found, name)
    if (found === undefined) throw new Refusal('NOT_FOUND', `${path} does not exist`)
    return found
  }

  #child(within: Map<string, Content> | undefined, name: string): Content | undefined {
    return within?.get(this.#spelled(within, name))
  }

  /** The name as the folder has it: Windows ignores case. */
  #spelled(within: Map<string, Content>, name: string): string {
    if (!this.#isWindows) return name
    return [...within.keys()].find((each) => each.toLowerCase() === name.toLowerCase()) ?? name
  }

  #write({ path, uploadId, offset, last, abort, overwrite }: ReturnType<typeof WriteFile.parse>, data: Uint8Array) {
    this.#requireLocal(path)
    const before = this.#uploads.get(uploadId) ?? Buffer.alloc(0)
    const content = Buffer.concat([before.subarray(0, offset), data])
    if (abort || last) this.#uploads.delete(uploadId)
    else this.#uploads.set(uploadId, content)
    if (abort || !last) return WrittenFile.parse({ path, sizeBytes: content.length, sha256: null })
    const names = parts(path)
    const given = names.pop() ?? ''
    const within = this.#find(this.#isWindows ? names.join('/') : `/${names.join('/')}`)
    if (Buffer.isBuffer(within)) throw new Refusal('NOT_FOUND', `${path} is in no folder`)
    const name = this.#spelled(within, given)
    if (within.get(name) instanceof Map) throw new Refusal('INVALID_PAYLOAD', `${path} is a folder`)
    if (within.has(name) && !overwrite) throw new Refusal('EXISTS', `${path} exists`)
    within.set(name, content)
    return WrittenFile.parse({ path, sizeBytes: content.length, sha256: hashOf(content) })
  }

  #entry(within: string, name: string, content: Content, now: number): FileEntry {
    const isFile = Buffer.isBuffer(content)
    const isOfPerson = parts(within)[0] === 'Users'
    const group = { windows: 'NT AUTHORITY\\SYSTEM', linux: 'root', macos: isOfPerson ? 'staff' : 'wheel' }
    return {
      name,
      type: isFile ? 'file' : 'directory',
      sizeBytes: isFile ? content.length : 0,
      modifiedAt: new Date(now - (now % 86_400_000)).toISOString(),
      mode: isFile ? '0644' : '0755',
      owner: this.#isWindows ? 'BUILTIN\\Administrators' : 'root',
      group: group[this.#osType],
      target: null,
    }
  }
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
