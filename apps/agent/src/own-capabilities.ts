import { encodeCapabilities } from '@muster/wire/capabilities.ts'
import type { Platform } from './platform/platform.ts'

/** What this agent can do, as it tells the server with each connection. */
export class OwnCapabilities {
  readonly #platform: Pick<Platform, 'obstacles'>
  #text: string | undefined

  constructor(platform: Pick<Platform, 'obstacles'>) {
    this.#platform = platform
  }

  /** Undefined before the first look. */
  get text(): string | undefined {
    return this.#text
  }

  /** Looks at the machine. @returns whether something changed since the last look */
  async look(): Promise<boolean> {
    const before = this.#text
    this.#text = encodeCapabilities(await this.#platform.obstacles())
    return before !== undefined && before !== this.#text
  }
}
