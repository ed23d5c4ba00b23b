// The reference page of the API. The document is /api/v1/openapi.json; the viewer comes from a package on disk.
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Muster API</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="/docs/viewer/swagger-ui.css">
  <link rel="icon" href="data:,">
</head>
<body>
  <main id="reference"></main>
  <script src="/docs/viewer/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`
const start = `SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'none', filter: true, validatorUrl: null })
`
// The viewer uses inline styles and data images. Scripts are loaded from files only.
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"

export async function serveDocs(app: FastifyInstance) {
  await app.register(fastifyStatic, { root: viewer, prefix: '/docs/viewer/', index: false, wildcard: true })
  app.get('/docs', async (_request, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page),
  )
  app.get('/docs/start.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(start))
}
