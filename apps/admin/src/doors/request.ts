import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Reply, Request } from '@muster/kit/call.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Removes the zone and the IPv4-in-IPv6 prefix, so that each client has one spelling. */
const plainAddress = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')

export function requestOf(
  http: FastifyRequest,
  answer: FastifyReply,
  body: AsyncIterable<Uint8Array> | null = null,
): Request {
  // Created on first use: few handlers check whether the client disconnected, and a controller costs more than the rest here.
  // A tRPC batch makes many requests with one response, which would add as many listeners.
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
      // The response closes when it ends or when the client disconnects. A listener on the socket would outlive the request.
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

/** The request ID of the caller when it is safe for logs and headers; else a new one. */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && wellFormedId.test(given) ? given : randomUUID()
}
