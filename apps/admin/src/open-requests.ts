import type { FastifyInstance, FastifyRequest } from 'fastify'
import { loggedPath } from './logged-path.ts'

const listedMax = 20

/** The requests in progress. A process that crashes logs them. */
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

  /** The number of open requests and the newest of them. */
  summary(): object {
    const listed = [...this.#open].toReversed().slice(0, listedMax)
    const requests = listed.map((each) => ({ requestId: each.id, method: each.method, url: loggedPath(each) }))
    return { openRequests: this.#open.size, requests }
  }
}
