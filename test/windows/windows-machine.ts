import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Administrator } from '../system/administrator.ts'
import { openMuster } from './muster-under-test.ts'
import { windowsTarget } from './release.ts'
import { Wine } from './wine.ts'

/** A server, and the executable of an agent for it. */
interface Muster {
  readonly fleet: Administrator
  readonly executable: string
}

/** A Windows under wine with an executable of the agent, and an organization for it at the server. */
export class WindowsMachine {
  readonly fleet: Administrator
  readonly wine: Wine
  readonly tenant: Awaited<ReturnType<Administrator['tenant']>>
  /** A folder of this test on drive C: its path there and here. */
  readonly drive: string
  readonly folder: string

  private constructor(name: string, wine: Wine, fleet: Administrator, tenant: WindowsMachine['tenant']) {
    this.wine = wine
    this.fleet = fleet
    this.tenant = tenant
    this.drive = `C:\\${name}`
    this.folder = wine.path(name)
  }

  /** Puts the executable into the folder `agent` of an empty folder on drive C. */
  static async start(name: string, muster: Muster | Promise<Muster> = openMuster()): Promise<WindowsMachine> {
    const [wine, { fleet, executable }] = await Promise.all([Wine.open(name), muster])
    const folder = wine.path(name)
    await mkdir(join(folder, 'agent'), { recursive: true })
    await copyFile(executable, join(folder, 'agent', windowsTarget().executable))
    return new WindowsMachine(name, wine, fleet, await fleet.tenant())
  }

  /** The executable in a folder of this test, for programs of this system. */
  get executable(): string {
    return join(this.folder, 'agent', windowsTarget().executable)
  }

  /** What the agent needs to find its server and its data folder. */
  get flags(): string[] {
    return ['--server', this.fleet.stack.urls.admin, '--data-dir', `${this.drive}\\data`]
  }

  /** Writes values into the registry, in the notation of `reg import`. */
  async register(keys: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<void> {
    const parts = Object.entries(keys).flatMap(([key, values]) => {
      const lines = Object.entries(values).map(([name, data]) => `"${name}"=${data}`)
      return ['', `[HKEY_LOCAL_MACHINE\\${key}]`, ...lines]
    })
    const text = ['Windows Registry Editor Version 5.00', ...parts, ''].map((line) => `${line}\r\n`).join('')
    await writeFile(join(this.folder, 'values.reg'), `\uFEFF${text}`, 'utf16le')
    await this.wine.run('reg', ['import', `${this.drive}\\values.reg`])
  }

  /** The device, once it is connected. */
  async online(): Promise<string> {
    const { id } = await this.fleet.device(this.tenant.org.id, (one) => one.status === 'online', 120_000)
    return id
  }

  stop(): Promise<void> {
    return this.wine.stop()
  }
}
