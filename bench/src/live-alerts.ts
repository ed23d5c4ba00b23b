import { type ClientRequest, get } from 'node:http'
import { z } from 'zod'

const Event = z.looseObject({ type: z.string(), alertId: z.string() })

/** The live events of alerts, with the time at which each arrived. */
export class LiveAlerts {
  /** When alerts opened for the watcher, in ms since the epoch, by id. */
  readonly opened = new Map<string, number>()
  readonly #request: ClientRequest
  #rest = ''

  constructor(adminUrl: string, token: string) {
    this.#request = get(new URL('/api/v1/alerts/events', adminUrl), {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    })
    this.#request.on('error', () => undefined)
    this.#request.on('response', (response) => {
      if (response.statusCode !== 200) this.#request.destroy(new Error(`events answered ${response.statusCode}`))
      response.setEncoding('utf8').on('data', (text: string) => this.#take(text, Date.now()))
    })
  }

  async stop(): Promise<void> {
    this.#request.destroy()
  }

  #take(text: string, atMs: number): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data:') || !line.includes('alert.opened')) continue
      const { alertId } = Event.parse(JSON.parse(line.slice(5)))
      this.opened.set(alertId, atMs)
    }
  }
}
