// Answers that are given before an operation is found: unknown paths, unreadable bodies, the API's description.
import type { Services } from '@muster/areas/services.ts'
import type { Db } from '@muster/db/database.ts'
import type { Runtime } from '@muster/kit/call.ts'
import type { KnownHosts } from '@muster/kit/known-hosts.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { replyTo, requestOf } from './doors/request.ts'
import { sendFailure } from './doors/rest.ts'
import { earlyRefusal } from './refusals.ts'

const isApi = (url: string): boolean => /^\/(api|trpc|scim)\//.test(url)

/** Has such answers count for the limit of the address, and carry its headers, as those of operations do. */
export class EarlyAnswers {
  readonly #runtime: Runtime<Db, Services>
  readonly #knownHosts: KnownHosts

  constructor(runtime: Runtime<Db, Services>, knownHosts: KnownHosts) {
    this.#runtime = runtime
    this.#knownHosts = knownHosts
  }

  #take = (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    this.#runtime.limit(requestOf(request, reply), replyTo(reply, true))

  /** The hook `onSend`; an operation has taken from the limit itself. */
  limit(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    if (reply.hasHeader('ratelimit') || !isApi(request.url)) done()
    else this.#take(request, reply).then(() => done(), done)
  }

  /** Answers what the framework refuses, for which it runs no hook. */
  refuse(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    reply.header('x-request-id', request.id)
    const send = (why: unknown) => sendFailure(why, request, reply)
    this.#take(request, reply).then(() => send(earlyRefusal(error, request, this.#knownHosts)), send)
  }
}
