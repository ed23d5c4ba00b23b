import { join } from 'node:path'
import { z } from 'zod'
import { readIfPresent, writeDurably } from './durable-file.ts'

const Kept = z.object({
  /** `unknown` after the file was damaged: a user may have turned it off. */
  autoUpdate: z.union([z.boolean(), z.literal('unknown')]).default(true),
  /** Hash of the inventory that the server has acknowledged. */
  inventoryHash: z.string().optional(),
})
type Kept = z.infer<typeof Kept>

const file = 'settings.json'

/** What the agent keeps across restarts besides its identity and journal. */
export class Settings {
  readonly #path: string
  #kept: Kept
  #turn: Promise<void> = Promise.resolve()

  private constructor(path: string, kept: Kept) {
    this.#path = path
    this.#kept = kept
  }

  /** The content of a damaged file is recreated, except auto-update, which stays unknown until it is set again. */
  static async open(directory: string): Promise<Settings> {
    const path = join(directory, file)
    const parsed = Kept.safeParse(parseJson((await readIfPresent(path)) ?? '{}'))
    return new Settings(path, parsed.success ? parsed.data : { autoUpdate: 'unknown' })
  }

  get autoUpdate(): Kept['autoUpdate'] {
    return this.#kept.autoUpdate
  }

  get inventoryHash(): string | undefined {
    return this.#kept.inventoryHash
  }

  /** Resolves when the change is on the disk. */
  change(changes: Partial<Kept>): Promise<void> {
    const turn = this.#turn
      .catch(() => undefined)
      .then(async () => {
        const kept = { ...this.#kept, ...changes }
        await writeDurably(this.#path, `${JSON.stringify(kept)}\n`)
        this.#kept = kept
      })
    this.#turn = turn
    return turn
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
