import { once } from 'node:events'
import { connect } from 'node:net'
import { KnownHosts } from '@muster/kit/network/known-hosts.ts'
import { testRuntime } from '@muster/testkit/services.ts'
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { EarlyAnswers } from './early-answers.ts'

test('takes nothing from the limit of a client that has left', async () => {
  const taken: string[] = []
  const runtime = { ...(await testRuntime()), limit: async ({ ip }: { ip: string }) => void taken.push(ip) }
  const answers = new EarlyAnswers(runtime, new KnownHosts(['http://localhost'], []))
  const app = fastify()
  onTestFinished(() => app.close())
  const answered = Promise.withResolvers<Error | undefined>()
  app.addHook('onSend', async (request, reply) => {
    try {
      answers.limit(request, reply, answered.resolve)
    } catch (error) {
      answered.reject(error)
    }
  })
  app.get('/api/left', async (request) => {
    const closed = once(request.raw.socket, 'close')
    request.raw.socket.destroy()
    await closed
    throw new Error('refused')
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  connect(Number(port), '127.0.0.1').write('GET /api/left HTTP/1.1\r\nhost: localhost\r\n\r\n')
  expect(await answered.promise).toBeUndefined()
  expect(taken).toEqual([])
})
