import { randomUUID } from 'node:crypto'
import type { Reply, Request } from '@muster/kit/run.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Strips the zone and the IPv4-in-IPv6 form, so that one client has one spelling. */
const plainAddress = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')

export function requestOf(
  http: FastifyRequest,
  answer: FastifyReply,
  body: AsyncIterable<Uint8Array> | null = null,
): Request {
  // Few requests look whether the other side has gone, and making the means for it costs more than most of the rest here.
  let gone: AbortController | null = null
  let isClosed = false
  // Closes with the answer, or before it when the other side has gone. A listener on the socket would outlive the request.
  answer.raw.once('close', () => {
    isClosed = true
    gone?.abort()
  })
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
      gone ??= new AbortController()
      if (isClosed) gone.abort()
      return gone.signal
    },
  }
}

export const replyTo = (http: FastifyReply, secure: boolean): Reply => ({
  header: (name, value) => void http.header(name, value),
  cookie: (name, value, { maxAgeSeconds, path }) =>
    void http.setCookie(name, value, { maxAge: maxAgeSeconds, path, httpOnly: true, sameSite: 'strict', secure }),
})

export const newRequestId = () => randomUUID()
