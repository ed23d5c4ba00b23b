// Serves the console. Its page gets a new nonce with each response, and only script files of Muster run on it.
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

/** Paths that belong to the API. An unknown path below them never gets the page of the console. */
const apiPaths = /^\/(api|trpc|docs|scim|assets|dev)(\/|\?|$)/

/** Whether a browser requests a page, and not a program data. */
const wantsPage = ({ method, url, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && !apiPaths.test(url) && headers.accept?.includes('text/html') === true

/** Serves the files of the console. @returns the handler for unknown paths that belong to the console */
export async function serveConsole(app: FastifyInstance, folder: string) {
  const year = 365 * 24 * 3600
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    // The names of these files contain a hash of their content.
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
