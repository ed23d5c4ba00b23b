import { asCaller } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { liveEventsOf, type WatchedEvent } from '../../platform/live-events/index.ts'
import type { Services } from '../../services.ts'
import { commandChanged } from './command-events.contract.ts'
import { type Command, CommandStatus } from './commands.contract.ts'
import { commandById } from './commands.queries.ts'
import { hasEnded } from './commands.rules.ts'

interface Options {
  readonly caller: Caller
  readonly partnerId: string
  readonly command: Pick<Command, 'id' | 'deviceId'>
  readonly waitMs: number
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal
}

/** Waits for the end of a command by its events, without a database connection meanwhile. */
export class CommandWait {
  readonly #services: Services
  readonly #options: Options
  readonly #over = new AbortController()
  #events: AsyncIterable<WatchedEvent<typeof commandChanged>> | null = null

  constructor(services: Services, options: Options) {
    this.#services = services
    this.#options = options
  }

  /** Starts to listen. Call it before the command is delivered. */
  async listen(): Promise<void> {
    const { partnerId, command, waitMs, signal } = this.#options
    this.#events = await liveEventsOf(this.#services).watch({
      kinds: [commandChanged],
      partnerId,
      signal: AbortSignal.any([signal, this.#over.signal, AbortSignal.timeout(waitMs)]),
      accepts: (event) => event.commandId === command.id,
    })
  }

  /** The command when it has ended, or its current state at the timeout. */
  async result(): Promise<Command> {
    try {
      // The command may have ended before the listener was ready.
      const command = await this.#read()
      if (hasEnded(command.status) || this.#events === null) return command
      for await (const event of this.#events) {
        if (event.type !== 'resync' && !saysEnded(event.status)) continue
        const now = await this.#read()
        if (hasEnded(now.status)) return now
      }
      return await this.#read()
    } finally {
      this.#over.abort()
    }
  }

  #read(): Promise<Command> {
    const { people } = this.#services
    const { caller, command } = this.#options
    return asCaller(people, caller, 'read', (db) => commandById(db, caller, command.deviceId, command.id))
  }
}

function saysEnded(status: unknown): boolean {
  const known = CommandStatus.safeParse(status)
  return known.success && hasEnded(known.data)
}
