import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * A stream of events ends when its watcher goes. This ends it as well when the watcher stays and takes nothing any more, and
 * when the server closes, which would otherwise wait for it.
 * @param stalledMs how long nothing may move; every fifteen seconds there is something to take
 */
export function endEventStreams(app: FastifyInstance, stalledMs: number): void {
  const open = new Set<FastifyReply['raw']>()
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) {
      request.raw.setTimeout(stalledMs)
      open.add(reply.raw)
      reply.raw.once('close', () => open.delete(reply.raw))
    }
    done()
  })
  app.addHook('preClose', (done) => {
    for (const { socket } of open) socket?.destroySoon()
    done()
  })
}
