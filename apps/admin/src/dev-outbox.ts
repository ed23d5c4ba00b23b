// Shows mails and SMS that could not be sent, for evaluation without a mail server. They contain links that work like
// passwords. So the page exists only with OUTBOX_TOKEN, answers only local connections, and has a secret URL.
import { createHash, timingSafeEqual } from 'node:crypto'
import { openMailData } from '@muster/areas/platform/mail/outbox.ts'
import { renderMail } from '@muster/areas/platform/mail/templates.ts'
import { devSmsKey } from '@muster/areas/platform/sms/index.ts'
import type { Services } from '@muster/areas/services.ts'
import { asSystem } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'

const shownMax = 100
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

const Sms = z.object({ to: z.string(), text: z.string(), at: z.string() })
interface ShownMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly url: string | null
  readonly at: string
}

/** Null when the data cannot be decrypted, because the key belongs to an earlier installation on the same database. */
function openedData(keyring: Keyring, data: JsonObject): JsonObject | null {
  try {
    return openMailData(keyring, data)
  } catch {
    return null
  }
}

async function mailsOf({ system, keyring }: Services): Promise<ShownMail[]> {
  const rows = await asSystem(system, (db) =>
    db
      .selectFrom('mailOutbox')
      .select(['toAddress', 'template', 'data', 'createdAt'])
      .orderBy('createdAt', 'desc')
      .limit(shownMax)
      .execute(),
  )
  return rows.flatMap(({ toAddress, template, data: sealed, createdAt }) => {
    const data = openedData(keyring, sealed)
    if (data === null) return []
    const url = typeof data.url === 'string' ? data.url : null
    const { subject, text } = renderMail(template, data)
    return [{ to: toAddress, subject, text, url, at: createdAt }]
  })
}
const smsOf = async ({ redis }: Services) =>
  (await redis.lrange(devSmsKey, 0, shownMax - 1)).map((entry) => Sms.parse(JSON.parse(entry)))

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (plain: string) => plain.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign)
const linked = (plain: string) =>
  escaped(plain).replaceAll(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`)

function page(mails: readonly ShownMail[], messages: readonly z.infer<typeof Sms>[]): string {
  const article = (title: string, to: string, at: string, text: string) =>
    `<article><h2>${escaped(title)}</h2><p class="to">to ${escaped(to)}, ${escaped(at)}</p><pre>${linked(text)}</pre></article>`
  const shown = [
    ...mails.map(({ subject, to, at, text }) => ({ at, html: article(subject, to, at, text) })),
    ...messages.map(({ to, at, text }) => ({ at, html: article('SMS', to, at, text) })),
  ].sort((one, other) => other.at.localeCompare(one.at))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Outbox</title><meta name="viewport" content="width=device-width">
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}
article{border:1px solid #ccc;border-radius:8px;padding:0 1rem;margin:1rem 0}h2{font-size:1.1rem;margin:.8rem 0 0}
.to{color:#555;margin:0}pre{white-space:pre-wrap;overflow-wrap:anywhere}</style></head>
<body><h1>Outbox</h1><p>Mail and SMS of this installation. Close this page before anyone looks over your shoulder: its links open accounts.</p>
${shown.length === 0 ? '<p>Nothing yet.</p>' : shown.map(({ html }) => html).join('\n')}
</body></html>
`
}

/** Checks the address of the connection. Headers could be forged. */
const isThisMachine = ({ socket }: FastifyRequest) =>
  /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') && socket.remoteAddress !== undefined

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Serves `/dev/outbox/<token>` and the same with `.json`. Without OUTBOX_TOKEN neither path exists. */
export function serveDevOutbox(app: FastifyInstance, services: Services): void {
  const { outboxToken } = services.settings
  if (!outboxToken) return
  const expected = digest(outboxToken)
  app.get<{ Params: { page: string } }>(
    '/dev/outbox/:page',
    { config: { hidesPath: true } },
    async (request, reply) => {
      const [, token = '', isJson] = /^(.*?)(\.json)?$/.exec(request.params.page) ?? []
      // Compare digests in constant time, so that the duration reveals nothing about the token.
      const isTokenRight = timingSafeEqual(digest(token), expected)
      if (!isTokenRight || !isThisMachine(request) || request.headers['x-forwarded-for'] !== undefined) {
        throw new AppError('NOT_FOUND', 'No such path')
      }
      const [mails, sms] = await Promise.all([mailsOf(services), smsOf(services)])
      if (isJson !== undefined) return { mails, sms }
      return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page(mails, sms))
    },
  )
}
