import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * Ends connections when the server closes. Open requests are answered first, and their connections are not kept alive. Event
 * streams have no end of their own, so they are closed. Streams whose client stops reading are closed at any time.
 * @param stalledMs the idle time after which a stream is closed; the server sends something every fifteen seconds
 */
export function endConnections(app: FastifyInstance, stalledMs: number): void {
  const streams = new Set<FastifyReply['raw']>()
  let isClosing = false
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    // A response of tRPC has its own headers, which are not copied to the reply yet.
    const type = payload instanceof Response ? payload.headers.get('content-type') : reply.getHeader('content-type')
    if (String(type).startsWith('text/event-stream')) {
      request.raw.setTimeout(stalledMs)
      streams.add(reply.raw)
      reply.raw.once('close', () => streams.delete(reply.raw))
    }
    done()
  })
  app.addHook('preClose', (done) => {
    isClosing = true
    for (const { socket } of streams) socket?.destroySoon()
    done()
  })
}
