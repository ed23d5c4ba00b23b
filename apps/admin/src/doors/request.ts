import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Reply, Request } from '@muster/kit/call.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Strips the zone and the IPv4-in-IPv6 form, so that one client has one spelling. */
const plainAddress = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')

export function requestOf(
  http: FastifyRequest,
  answer: FastifyReply,
  body: AsyncIterable<Uint8Array> | null = null,
): Request {
  // Few requests look whether the other side has gone, and making the means for it costs more than most of the rest here.
  // A batch makes many requests of one answer, which would be as many listeners.
  let gone: AbortController | null = null
  return {
    id: http.id,
    ip: plainAddress(http.ip),
    userAgent: http.headers['user-agent'] ?? null,
    header(name) {
      const value = http.headers[name.toLowerCase()]
      return Array.isArray(value) ? value[0] : value
    },
    cookie: (name) => http.cookies[name],
    body,
    get signal() {
      if (gone !== null) return gone.signal
      const made = new AbortController()
      // Closes with the answer, or before it when the other side has gone. A listener on the socket would outlive the request.
      if (answer.raw.closed) made.abort()
      else answer.raw.once('close', () => made.abort())
      gone = made
      return made.signal
    },
  }
}

export const replyTo = (http: FastifyReply, secure: boolean): Reply => ({
  header: (name, value) => void http.header(name, value),
  cookie: (name, value, { maxAgeSeconds, path, sameSite }) =>
    void http.setCookie(name, value, {
      maxAge: maxAgeSeconds,
      path,
      httpOnly: true,
      sameSite: sameSite ?? 'strict',
      secure,
    }),
})

const wellFormedId = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** The id that the caller gave its request, where it is one that can stand in logs and headers; else a new one. */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && wellFormedId.test(given) ? given : randomUUID()
}
