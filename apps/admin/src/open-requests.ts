import type { FastifyInstance, FastifyRequest } from 'fastify'
import { loggedPath } from './logged-path.ts'

const namedMax = 20

/** The requests that are being answered, for the last words of a process that goes down in the middle of them. */
export class OpenRequests {
  readonly #open = new Set<FastifyRequest>()

  follow(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      this.#open.add(request)
      done()
    })
    app.addHook('onResponse', (request, _reply, done) => {
      this.#open.delete(request)
      done()
    })
  }

  /** How many there are, and which, the newest first. */
  inWords(): object {
    const named = [...this.#open].toReversed().slice(0, namedMax)
    const requests = named.map((each) => ({ requestId: each.id, method: each.method, url: loggedPath(each) }))
    return { openRequests: this.#open.size, requests }
  }
}
