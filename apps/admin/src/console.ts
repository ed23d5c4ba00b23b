// The console's files. Its page gets a new nonce with every answer, and no script that is not a file of ours runs on it.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Paths below which only the service itself answers, so that a mistyped one is never met with a page. */
const ours = /^\/(api|trpc|docs|scim|assets|dev)(\/|\?|$)/

/** Is it a person's browser asking for a page, rather than a program for data? */
const wantsPage = ({ method, url, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && !ours.test(url) && headers.accept?.includes('text/html') === true

/** Serves the console's files. @returns what answers a path that nothing else serves, if it is for the console */
export async function serveConsole(app: FastifyInstance, folder: string) {
  const year = 365 * 24 * 3600
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    // Their names carry a hash of their content.
    immutable: true,
    maxAge: year * 1000,
    preCompressed: true,
  })
  app.get('/muster.svg', async (_request, reply) => {
    const icon = await readFile(join(folder, 'muster.svg')).catch(() => null)
    if (icon === null) return reply.callNotFound()
    return reply.header('cache-control', 'max-age=3600').type('image/svg+xml').send(icon)
  })
  return async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    if (!wantsPage(request)) return false
    const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null)
    if (page === null) return false
    const nonce = randomBytes(16).toString('base64')
    reply
      .headers({ 'content-security-policy': policyWith(nonce), 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('__NONCE__', nonce))
    return true
  }
}
