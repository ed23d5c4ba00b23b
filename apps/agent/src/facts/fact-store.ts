import { join } from 'node:path'
import { AssignedFact } from '@muster/wire/facts/facts.ts'
import { factsMax } from '@muster/wire/limits.ts'
import { z } from 'zod'
import { canonicalJson } from '../canonical.ts'
import { readIfPresent, writeDurably } from '../durable-file.ts'
import { factsKeptAfterMs } from '../limits.ts'
import type { Log } from '../log.ts'

const Kept = z.object({
  revision: z.int().min(0),
  items: z.array(AssignedFact).max(factsMax),
  /** Hashes of the findings that the server has acknowledged, by fact. */
  told: z.record(z.string(), z.string()),
})

/** The assigned facts and what the server knows about them, on the disk: a new process goes on without the server. */
export class FactStore {
  readonly #path: string
  readonly #log: Log
  #revision: number
  #items: readonly AssignedFact[]
  #told: Map<string, string>
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()

  private constructor(path: string, kept: z.infer<typeof Kept>, log: Log) {
    this.#path = path
    this.#log = log
    this.#revision = kept.revision
    this.#items = kept.items
    this.#told = new Map(Object.entries(kept.told))
  }

  /** A damaged file counts as none: the server sends the facts again. */
  static async open(directory: string, log: Log): Promise<FactStore> {
    const path = join(directory, 'facts.json')
    const text = await readIfPresent(path)
    return new FactStore(path, keptIn(text ?? '') ?? { revision: 0, items: [], told: {} }, log)
  }

  get revision(): number {
    return this.#revision
  }

  get items(): readonly AssignedFact[] {
    return this.#items
  }

  /** The hash of the finding that the server knows. */
  told(id: string): string | undefined {
    return this.#told.get(id)
  }

  /** Whether these are the facts that it has. After the restore of a database, one revision may stand for two assignments. */
  has(revision: number, items: readonly AssignedFact[]): boolean {
    return revision === this.#revision && canonicalJson(items) === canonicalJson(this.#items)
  }

  replace(revision: number, items: readonly AssignedFact[]): void {
    this.#revision = revision
    this.#items = items
    this.forgetTold()
  }

  tell(told: ReadonlyMap<string, string>): void {
    for (const [id, hash] of told) this.#told.set(id, hash)
    this.#timer ??= setTimeout(() => this.#save(), factsKeptAfterMs)
    this.#timer.unref()
  }

  forgetTold(): void {
    this.#told = new Map()
    this.#save()
  }

  /** Resolves when the disk has everything. */
  async close(): Promise<void> {
    if (this.#timer !== undefined) this.#save()
    await this.#turn
  }

  #save(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#turn = this.#turn.then(async () => {
      const kept = { revision: this.#revision, items: this.#items, told: Object.fromEntries(this.#told) }
      await writeDurably(this.#path, JSON.stringify(kept)).catch((error: unknown) =>
        this.#log.error(`cannot store the assigned facts: ${error instanceof Error ? error.message : error}`),
      )
    })
  }
}

function keptIn(text: string): z.infer<typeof Kept> | undefined {
  try {
    return Kept.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
