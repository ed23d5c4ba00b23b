import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleScript } from '../../apps/agent/src/bundle-cli.ts'
import { pinnedFile } from '../../scripts/agent-build/runtime.ts'
import { root } from '../shape/sources.ts'
import { windowsTarget } from './release.ts'
import type { Wine } from './wine.ts'

const program = fileURLToPath(new URL('./interrupted-update.ts', import.meta.url))
const drive = 'C:\\muster-interrupted'
const script = `${drive}\\program.cjs`
const hashOf = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

/** How a machine starts after an update that was killed. */
export interface AfterKill {
  /** The version that has to be confirmed, if the new one is started. */
  trial?: string
  isNew: boolean
  isOld: boolean
  /** Whether it has the new executable after another attempt. */
  isUpdated: boolean
}

/** Kills updates of a running executable, one at each change of the disk, and starts each machine again. */
export class InterruptedUpdates {
  readonly #wine: Wine
  readonly #folder: string
  readonly #hashes: { old: string; new: string }

  private constructor(wine: Wine, folder: string, hashes: { old: string; new: string }) {
    this.#wine = wine
    this.#folder = folder
    this.#hashes = hashes
  }

  static async prepare(wine: Wine): Promise<InterruptedUpdates> {
    const folder = wine.path('muster-interrupted')
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    const [one, other] = [join(folder, 'old.exe'), join(folder, 'new.exe')]
    await copyFile(await pinnedFile(windowsTarget().runtime, root, join(root, '.muster/agent-build')), one)
    // No test starts it, and a small file is hashed sooner.
    await writeFile(other, 'new')
    await bundleScript(program, join(folder, 'program.cjs'), 'win32')
    return new InterruptedUpdates(wine, folder, { old: await hashOf(one), new: await hashOf(other) })
  }

  /** Kills one update at each change of the disk, two at a time. */
  async killAtEach(): Promise<AfterKill[]> {
    const all: AfterKill[] = []
    for (;;) {
      const pair = await Promise.all([all.length, all.length + 1].map((change) => this.#killAt(change)))
      all.push(...pair.filter((after) => after !== undefined))
      if (pair.includes(undefined)) return all
    }
  }

  /** @returns undefined when the update was complete after fewer changes */
  async #killAt(change: number): Promise<AfterKill | undefined> {
    const { drive, data, executable, watchdog } = await this.#machine(String(change))
    await this.#wine.run(executable, [script, 'update', drive, this.#hashes.new, String(change)])
    if (existsSync(join(data, 'whole'))) return undefined
    await this.#wine.run(watchdog, [script, 'start', drive, this.#hashes.new])
    const { trial, started, current } = JSON.parse(await readFile(join(data, 'start.json'), 'utf8'))
    const { old, new: next } = this.#hashes
    return { trial, isNew: started === next, isOld: started === old, isUpdated: current === next }
  }

  /** Updates while the new executable is open elsewhere, and again afterward. */
  async whileHeld() {
    const { drive, data, executable } = await this.#machine('held')
    await this.#wine.run(executable, [script, 'held', drive, this.#hashes.new])
    const { kept, current, ...reasons } = JSON.parse(await readFile(join(data, 'held.json'), 'utf8'))
    return { ...reasons, keptOld: kept === this.#hashes.old, isNew: current === this.#hashes.new }
  }

  /** A machine with the old executable, and the new one beside it. */
  async #machine(name: string) {
    const [opt, data] = [join(this.#folder, `opt-${name}`), join(this.#folder, `data-${name}`)]
    await Promise.all([mkdir(opt), mkdir(data)])
    const [executable, watchdog] = [join(opt, 'muster-agent.exe'), join(opt, 'muster-agent.watchdog.exe')]
    await link(join(this.#folder, 'old.exe'), executable)
    await link(executable, watchdog)
    await link(join(this.#folder, 'new.exe'), join(opt, 'muster-agent.next.exe'))
    return { drive: `${drive}\\data-${name}`, data, executable, watchdog }
  }
}
