import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * Sees to it that connections end. A server that closes waits for all of them: requests are answered and their connections not
 * kept for others, streams of events, which have no end of their own, are cut off; so are those whose watcher takes nothing.
 * @param stalledMs how long nothing may move on a stream; every fifteen seconds there is something to take
 */
export function endConnections(app: FastifyInstance, stalledMs: number): void {
  const streams = new Set<FastifyReply['raw']>()
  let isClosing = false
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    // What tRPC answers with brings its own headers, which are not the reply's yet.
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
