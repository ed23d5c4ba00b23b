import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { asSystem } from '@muster/db/database.ts'
import { createPool } from '@muster/db/pool.ts'
import { createLog } from '@muster/kit/log.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { enqueueMail, type Mail, sealedLink } from './outbox.ts'
import { createMailSender, forgetOldMail, type MailSender, mailBacklog } from './sender.jobs.ts'

const database = await ownDatabase()
const pool = createPool({ url: database.systemUrl, name: 'mail-test', max: 4 })
const keyring = createKeyring()
const hour = 3_600_000
let now = Date.now()
let opened: (MailSender | SMTPServer | Server)[] = []

beforeEach(async () => {
  now = Date.now() + 1_000
  await pool.query('DELETE FROM mail_outbox')
})
afterEach(() => {
  for (const each of opened) each.close()
  opened = []
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const portOf = (address: AddressInfo | string | null) => (typeof address === 'object' ? address?.port : undefined)

/** An SMTP server that keeps the mails that it receives. */
async function smtpServer(options: SMTPServerOptions = {}) {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    disableReverseLookup: true,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push(Buffer.concat(chunks).toString())
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  opened.push(server)
  return { received, url: `smtp://127.0.0.1:${portOf(listening.address())}` }
}
/** A TCP server that is not a mail server. */
async function tcpServer(onConnection: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push(server)
  return `smtp://127.0.0.1:${portOf(server.address())}`
}

function sender(smtpUrl: string | null, { keepsUnsent = false } = {}): MailSender {
  const made = createMailSender({
    pool,
    keyring,
    log: createLog('mail-test', 'silent'),
    clock: { now: () => now },
    smtpUrl,
    from: 'Muster <muster@example.test>',
    keepsUnsent,
    timeoutMs: 300,
  })
  opened.push(made)
  return made
}
const write = (more: Partial<Mail> = {}) =>
  asSystem(pool, (db) =>
    enqueueMail(db, {
      to: 'grace@example.test',
      template: 'reset-password',
      data: { name: 'Grace <b>', url: sealedLink(keyring, 'https://muster.test/reset-password#token=s3cret') },
      partnerId: null,
      orgId: null,
      ...more,
    }),
  )
const outbox = async () => (await pool.query('SELECT * FROM mail_outbox ORDER BY created_at')).rows

describe('sending mail', () => {
  it('delivers text and HTML with the link, and deletes the content', async () => {
    const { received, url } = await smtpServer()
    await write()
    expect(JSON.stringify((await outbox())[0].data)).not.toContain('s3cret')
    expect(await sender(url).sendDue()).toBe(1)
    const [mail = ''] = received
    expect(mail).toContain('To: grace@example.test')
    expect(mail).toContain('Subject: Set a new password')
    expect(mail).toContain('Content-Type: text/plain')
    expect(mail).toContain('Content-Type: text/html')
    expect(mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(
      'https://muster.test/reset-password#token=s3cret',
    )
    expect(mail).not.toContain('<b>')
    const [row] = await outbox()
    expect(row).toMatchObject({ attempts: 1, last_error: null, data: {} })
    expect(row.sent_at).not.toBeNull()
    expect(await sender(url).sendDue()).toBe(0)
  })

  it('sends each mail once with several senders', async () => {
    const { received, url } = await smtpServer()
    for (let n = 0; n < 12; n++) await write({ to: `p${n}@example.test` })
    const senders = [sender(url), sender(url), sender(url)]
    for (let round = 0; round < 3; round++) await Promise.all(senders.map((each) => each.sendDue()))
    expect(received).toHaveLength(12)
    expect(new Set(received.map((mail) => /^To: (.*)$/m.exec(mail)?.[1])).size).toBe(12)
  })

  it('retries when the server is down, slow or not a mail server, and stores the error', async () => {
    const slow = await tcpServer(() => undefined)
    const garbage = await tcpServer((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhello\r\n'))
    const flood = await tcpServer((socket) => {
      const chunk = Buffer.alloc(65_536, 'x')
      const pour = () => {
        while (!socket.destroyed && socket.write(chunk)) if (socket.bytesWritten > 20e6) return
      }
      socket.on('drain', pour)
      pour()
    })
    for (const url of ['smtp://127.0.0.1:1', slow, garbage, flood]) {
      await pool.query('DELETE FROM mail_outbox')
      await write()
      await sender(url).sendDue()
      const [row] = await outbox()
      expect(row).toMatchObject({ sent_at: null, failed_at: null, attempts: 1, last_error: expect.any(String) })
      expect(row.next_attempt_at.length ?? 0).toBeGreaterThan(0)
      const wait = Date.parse(row.next_attempt_at) - now
      expect(wait).toBeGreaterThan(5_000)
      expect(wait).toBeLessThan(30_000)
    }
  })

  it('gives up when the server rejects the address permanently, and retries when it is busy', async () => {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = (address, _session, done) => {
      const isBusy = address.address.startsWith('busy')
      done(Object.assign(new Error(isBusy ? 'greylisted' : 'no such user'), { responseCode: isBusy ? 451 : 550 }))
    }
    const { url } = await smtpServer({ onRcptTo })
    await write({ to: 'busy@example.test' })
    await write({ to: 'gone@example.test' })
    await sender(url).sendDue()
    const [busy, gone] = await outbox()
    expect(busy).toMatchObject({ failed_at: null, last_error: expect.stringContaining('greylisted') })
    expect(gone.failed_at).not.toBeNull()
    expect(await mailBacklog(pool)).toMatchObject({ waiting: 1, failed: 1 })
  })

  it('gives up after ten attempts over days, and keeps the mail visible', async () => {
    await write({ template: 'notice', data: { name: 'Grace', what: 'A', at: '', url: '' } })
    const broken = sender('smtp://127.0.0.1:1')
    let tries = 0
    for (let day = 0; day < 30; day++) {
      tries += await broken.sendDue()
      now += 24 * hour * 1.6
    }
    expect(tries).toBe(10)
    expect((await outbox())[0]).toMatchObject({ attempts: 10, sent_at: null, failed_at: expect.any(String) })
  })

  it('does not send a link that has expired meanwhile', async () => {
    const { received, url } = await smtpServer()
    await write()
    now += hour + 1_000
    await sender(url).sendDue()
    expect(received).toEqual([])
    expect((await outbox())[0]).toMatchObject({
      failed_at: expect.any(String),
      last_error: expect.stringContaining('expired'),
    })
  })

  it('does not let the mails of one partner delay those of others', async () => {
    const { received, url } = await smtpServer()
    const { rows } = await pool.query(
      `INSERT INTO partners (name, slug) VALUES ('Loud', 'loud'), ('Quiet', 'quiet') RETURNING id`,
    )
    for (let n = 0; n < 30; n++) await write({ partnerId: rows[0].id, to: `loud${n}@example.test` })
    await write({ partnerId: rows[1].id, to: 'quiet@example.test' })
    await sender(url).sendDue()
    expect(received.some((mail) => mail.includes('To: quiet@example.test'))).toBe(true)
  })

  it('takes over the mails of a crashed sender after its lease', async () => {
    const { received, url } = await smtpServer()
    await write({ template: 'notice', data: { name: 'Grace', what: 'A', at: '', url: '' } })
    await pool.query(`UPDATE mail_outbox SET attempts = 1, next_attempt_at = $1`, [
      new Date(now + 300_000).toISOString(),
    ])
    expect(await sender(url).sendDue()).toBe(0)
    now += 300_001
    expect(await sender(url).sendDue()).toBe(1)
    expect(received).toHaveLength(1)
  })
})

describe('without a mail server', () => {
  it('keeps mail in the outbox when the outbox is enabled', async () => {
    await write()
    await sender(null, { keepsUnsent: true }).sendDue()
    const [row] = await outbox()
    expect(row).toMatchObject({ sent_at: expect.any(String), last_error: null })
    expect(row.data).toHaveProperty('url')
  })

  it('shows waiting mail when the outbox is disabled', async () => {
    await write()
    await sender(null).sendDue()
    expect((await outbox())[0]).toMatchObject({ sent_at: null, last_error: expect.stringContaining('SMTP_URL') })
  })
})

it('deletes mail after thirty days', async () => {
  await write()
  await write()
  await pool.query(
    `UPDATE mail_outbox SET sent_at = now() - interval '31 days' WHERE id = (SELECT id FROM mail_outbox LIMIT 1)`,
  )
  await forgetOldMail(pool)
  expect(await outbox()).toHaveLength(1)
})
