// Responses without an operation: unknown paths, unreadable bodies, the API description.
import type { Services } from '@muster/areas/services.ts'
import type { Db } from '@muster/db/database.ts'
import type { Runtime } from '@muster/kit/call.ts'
import type { KnownHosts } from '@muster/kit/network/known-hosts.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { replyTo, requestOf } from './doors/request.ts'
import { sendFailure } from './doors/rest.ts'
import { errorBeforeHooks } from './refusals.ts'

const isApi = (url: string): boolean => /^\/(api|trpc|scim)\//.test(url)

/** Counts these responses toward the rate limit of the address and adds its headers, as operations do. */
export class EarlyAnswers {
  readonly #runtime: Runtime<Db, Services>
  readonly #knownHosts: KnownHosts

  constructor(runtime: Runtime<Db, Services>, knownHosts: KnownHosts) {
    this.#runtime = runtime
    this.#knownHosts = knownHosts
  }

  async #take(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // A client that has left has no address any more.
    if (request.socket.destroyed) return
    await this.#runtime.limit(requestOf(request, reply), replyTo(reply, true))
  }

  /** The hook `onSend`. Responses of operations were counted already. */
  limit(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    if (reply.hasHeader('ratelimit') || !isApi(request.url)) done()
    else this.#take(request, reply).then(() => done(), done)
  }

  /** Answers errors of the framework that occur before any hook. */
  refuse(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    reply.header('x-request-id', request.id)
    const send = (why: unknown) => sendFailure(why, request, reply)
    this.#take(request, reply).then(() => send(errorBeforeHooks(error, request, this.#knownHosts)), send)
  }
}
