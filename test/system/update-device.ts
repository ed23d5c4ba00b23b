// A machine with an installed agent and its watchdog, both real executables, and the releases for it.
import { createReadStream } from 'node:fs'
import { link, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DiskStore } from '@muster/files/disk-store.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import type { SignedTarget } from '@muster/releases/signed-target.ts'
import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import { AgentState, controlFile } from '../../apps/agent/src/control.ts'
import { FakeServer } from '../../apps/agent/src/testing/fake-server.ts'
import { buildExecutable, thisTarget } from '../../scripts/agent-build/executable.ts'
import { ServiceManager } from './service-manager.ts'

/** The entry point of faulty releases; their version names the fault. */
export const faultyEntry = fileURLToPath(new URL('./update-faulty-agent.ts', import.meta.url))
const here = { os: 'linux', arch: process.arch === 'arm64' ? 'arm64' : 'x64' } as const

/** Built and signed executables, shared by all machines of a test. */
export class Releases {
  readonly folder: string
  readonly #files = new Map<string, string>()
  readonly #signed = new Map<string, SignedTarget>()

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Builds these versions; faulty ones name their fault: `3.0.0-hangs.1`. */
  static async build(versions: readonly string[]): Promise<Releases> {
    const releases = new Releases(await mkdtemp(join(tmpdir(), 'muster-releases-')))
    const [release, online] = [createReleaseKey(), createReleaseKey()]
    const repository = new Repository(new DiskStore(join(releases.folder, 'repository')))
    await repository.begin({ release: [release], threshold: 1, online })
    const trustedRoot = await readFile(join(releases.folder, 'repository/metadata/root.json'), 'utf8')
    for (const version of versions) {
      const to = join(releases.folder, version)
      const entry = version.includes('-') ? faultyEntry : undefined
      await buildExecutable({ target: thisTarget(), release: { version, trustedRoot }, to, entry })
      const [signed] = await repository.add([{ version, ...here, bytes: await readFile(to) }], [release])
      if (signed === undefined) throw new Error('unreachable')
      releases.#files.set(version, to)
      releases.#signed.set(version, signed)
    }
    await repository.renew(online)
    return releases
  }

  fileOf(version: string): string {
    const file = this.#files.get(version)
    if (file === undefined) throw new Error(`${version} was not built`)
    return file
  }

  offerOf(version: string, server: string) {
    const signed = this.#signed.get(version)
    if (signed === undefined) throw new Error(`${version} was not signed`)
    const { sha256, size, path, file } = signed
    return { version, sha256, size, url: `${server}/targets/${file}`, metadataUrl: `${server}/metadata`, target: path }
  }

  readonly serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = join(this.folder, 'repository', request.url ?? '')
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    )
    if (size === undefined) return void response.writeHead(404).end()
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const range = { 'content-range': `bytes ${start}-${size - 1}/${size}` }
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': size - start, ...(start > 0 && range) })
    createReadStream(path, { start })
      .on('error', () => response.destroy())
      .pipe(response)
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

export class Device {
  readonly server: FakeServer
  readonly #releases: Releases
  readonly #root: string
  readonly #args: string[]
  #service: ServiceManager | undefined

  private constructor(releases: Releases, server: FakeServer, root: string, confirmSeconds: number) {
    this.#releases = releases
    this.server = server
    this.#root = root
    const place = ['--server', server.url, '--data-dir', join(root, 'data')]
    this.#args = ['watchdog', ...place, '--confirm-seconds', String(confirmSeconds)]
  }

  static async start(releases: Releases, version: string, confirmSeconds = 60): Promise<Device> {
    const server = await FakeServer.start()
    server.behavior.answersGet = (request, response) => void releases.serve(request, response)
    server.behavior.heartbeatMs = 1000
    const device = new Device(releases, server, await mkdtemp(join(tmpdir(), 'muster-device-')), confirmSeconds)
    await device.install(version)
    const [first, again] = [device.path('muster-agent'), device.path('muster-agent.watchdog')]
    device.#service = new ServiceManager({
      first,
      again,
      args: device.#args,
      env: { MUSTER_ENROLLMENT_KEY: 'test-key' },
    })
    await device.connected()
    return device
  }

  /** Copies, as an installer does: no link remains between this machine and the source of the file. */
  async install(version: string): Promise<void> {
    await mkdir(join(this.#root, 'opt'), { recursive: true })
    await rm(this.path('muster-agent'), { force: true })
    await link(this.#releases.fileOf(version), this.path('muster-agent'))
    // So that no test uses a Node from the PATH.
    await symlink('/nonexistent', this.path('node')).catch(() => undefined)
  }

  path(name: string): string {
    return join(this.#root, 'opt', name)
  }

  /** Waits until the agent and its watchdog are connected. */
  async connected(): Promise<void> {
    const { server } = this
    await server.until(() => server.isConnected && server.watchdogHellos.length > 0)
  }

  offer(version: string): void {
    this.server.order({ name: 'update', sequence: 0, body: this.#releases.offerOf(version, this.server.url) })
  }

  get statuses(): UpdateStatus[] {
    return this.server.received.flatMap(({ message }) => (message.name === 'updateStatus' ? [message.body] : []))
  }

  /** The first matching report about a version. */
  status(version: string, ...states: UpdateStatus['state'][]): Promise<UpdateStatus> {
    return this.server.until(() =>
      this.statuses.find((each) => each.version === version && states.includes(each.state)),
    )
  }

  /** The version that the agent reported last. */
  get version(): string {
    return this.server.hellos.at(-1)?.agentVersion ?? ''
  }

  async journal() {
    return JSON.parse(await readFile(join(this.#root, 'data/update.json'), 'utf8'))
  }

  get watchdogPid(): number {
    return this.#service?.pid ?? -1
  }

  get output(): string {
    return this.#service?.output ?? ''
  }

  /** The PID that the agent reports. */
  async agentPid(): Promise<number | undefined> {
    return new Promise((resolve) => {
      const socket = connect(join(this.#root, 'data', controlFile))
      socket.setTimeout(1000, () => socket.destroy())
      socket.once('data', (text) => {
        resolve(AgentState.parse(JSON.parse(text.toString().split('\n')[0] ?? '')).pid)
        socket.destroy()
      })
      socket.on('error', () => resolve(undefined))
      socket.on('close', () => resolve(undefined))
    })
  }

  async stop(): Promise<void> {
    await this.#service?.stop()
    await this.server.stop()
    await rm(this.#root, { recursive: true, force: true })
  }
}
