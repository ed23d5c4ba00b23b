// Uploads and downloads at the level of HTTP. A slow, aborted or invalid upload leaves nothing behind.
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { implement } from '@muster/areas/operation.ts'
import { keepFile, readyFile, requireStore, serveDownload, storeFile } from '@muster/areas/platform/files/index.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import { asCaller } from '@muster/db/database.ts'
import { DiskStore } from '@muster/files/disk-store.ts'
import { declaredOf, formOf, incomingBody } from '@muster/kit/body/incoming-body.ts'
import { operationsOf } from '@muster/kit/call.ts'
import { can, id, raw, unaudited } from '@muster/kit/contract.ts'
import { notFound } from '@muster/kit/errors.ts'
import { createLog } from '@muster/kit/log.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createServer } from './server.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-uploads-'))
const store = new DiskStore(folder)
const here = await world()
const bytesMax = 20_000_000
const common = { access: can('devices:write'), audit: unaudited('a test'), produces: 'application/json' }
const contract = {
  upload: raw('POST', '/uploads', {
    ...common,
    summary: 'Upload a file',
    transaction: 'own',
    consumes: 'application/octet-stream',
    input: z.object({ purpose: z.string() }),
  }),
  download: raw('GET', '/uploads/:id', {
    ...common,
    summary: 'Download a file',
    answers: [206, 304, 416],
    input: z.object({ id: id() }),
  }),
  form: raw('POST', '/form', {
    ...common,
    summary: 'Send a form',
    consumes: 'application/x-www-form-urlencoded',
    input: z.object({}),
  }),
}
const json = (status: number, value: unknown) => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
})
const operations = operationsOf({
  test: {
    uploads: implement(contract, {
      async upload({ caller, services, input, request: sent, write }) {
        const tenant = { partnerId: here.partner.id, orgId: here.org.id, createdBy: caller.userId }
        const file = await storeFile(
          services,
          (work) => asCaller(services.people, caller, 'write', work),
          { ...tenant, purpose: input.purpose, name: 'größe.bin' },
          incomingBody(sent, { bytesMax, pauseMs: 300 }),
          { bytesMax, ...declaredOf(sent, 'x-content-sha256') },
        )
        await write((db) => keepFile(db, file.id, null))
        return json(201, { id: file.id, size: file.size, sha256: file.sha256 })
      },
      async download({ db, services, input, request: asked }) {
        const file = await readyFile(db, input.id)
        if (file === null) throw notFound('File')
        return serveDownload(asked, requireStore(services.files), file)
      },
      form: async ({ request: sent }) => json(200, await formOf(sent, 100)),
    }),
  },
})
const services = { ...(await testServices()), files: store }
const app = await createServer({
  operations,
  runtime: createRuntime(services),
  log: createLog('test', 'silent'),
  trustedProxies: [],
  registry: new Registry(),
})
let port = 0
beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly bytes: Buffer
}
/** One request whose body is written by `send`. */
const ask = (
  method: string,
  path: string,
  headers: Record<string, string>,
  send: (sending: ClientRequest) => void = (sending) => sending.end(),
) =>
  new Promise<Answer>((resolve, reject) => {
    const authorization = `Bearer ${here.orgAdmin.token}`
    const sending = request({
      port,
      host: '127.0.0.1',
      agent: false,
      method,
      path: `/api/v1${path}`,
      headers: { authorization, ...headers },
    })
    sending.on('error', reject)
    sending.once('response', (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(pieces) }),
      )
    })
    send(sending)
  })
const upload = (purpose: string, headers: Record<string, string>, send: (sending: ClientRequest) => void) =>
  ask('POST', `/uploads?purpose=${purpose}`, { 'content-type': 'application/octet-stream', ...headers }, send)
const bytes = Buffer.alloc(5_000_000, 'a file of five megabytes ')
const sha256 = createHash('sha256').update(bytes).digest('hex')
const purpose = () => `p${randomUUID().replaceAll('-', '')}`

/** Rows and objects that are left of uploads with this purpose. */
async function left(of: string) {
  const { rows } = await services.system.query<{ state: string; key: string }>(
    'SELECT state, storage_key AS key FROM files WHERE purpose = $1',
    [of],
  )
  const sizes = await Promise.all(rows.map(({ key }) => store.size(key)))
  return [
    ...rows.flatMap(({ state }) => (state === 'deleted' ? [] : [state])),
    ...sizes.filter((size) => size !== null),
  ]
}

describe('an upload', () => {
  it('returns the uploaded bytes, as a whole and in ranges', async () => {
    const sent = await upload(purpose(), { 'x-content-sha256': sha256 }, (sending) => sending.end(bytes))
    expect([sent.status, JSON.parse(String(sent.bytes))]).toEqual([
      201,
      { id: expect.any(String), size: bytes.length, sha256 },
    ])
    const path = `/uploads/${JSON.parse(String(sent.bytes)).id}`
    const whole = await ask('GET', path, {})
    expect([whole.status, whole.bytes.equals(bytes)]).toEqual([200, true])
    expect(whole.headers['content-disposition']).toBe("attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.bin")
    const part = await ask('GET', path, { range: 'bytes=4000000-4000009' })
    expect([part.status, String(part.bytes)]).toEqual([206, String(bytes.subarray(4_000_000, 4_000_010))])
    expect((await ask('GET', path, { 'if-none-match': `"${sha256}"` })).status).toBe(304)
  })

  it.each([
    ['another hash', { 'x-content-sha256': '0'.repeat(64) }, 400],
    ['a hash that is none', { 'x-content-sha256': 'abc' }, 400],
    ['another type', { 'content-type': 'text/plain' }, 415],
  ])('with %s is rejected and leaves nothing', async (_words, headers, status) => {
    const of = purpose()
    expect((await upload(of, headers, (sending) => sending.end(bytes))).status).toBe(status)
    expect(await left(of)).toEqual([])
  })

  it('that is too large is rejected before its body when the size is declared, else at the limit', async () => {
    const of = purpose()
    const declared = await upload(of, { 'content-length': String(bytesMax + 1) }, (sending) => sending.flushHeaders())
    expect(declared.status).toBe(413)
    const chunked = await upload(of, { 'transfer-encoding': 'chunked' }, (sending) => {
      for (let piece = 0; piece < 5; piece += 1) sending.write(bytes)
      sending.end()
    })
    expect(chunked.status).toBe(413)
    expect(await left(of)).toEqual([])
  })

  it('that stalls is rejected and leaves nothing', async () => {
    const of = purpose()
    const slow = await upload(of, { 'content-length': String(bytes.length) }, (sending) => {
      sending.write(bytes.subarray(0, 1_000_000))
    })
    expect([slow.status, JSON.parse(String(slow.bytes)).message]).toEqual([400, expect.stringContaining('paused')])
    expect(await left(of)).toEqual([])
  })

  it('that is aborted leaves nothing', async () => {
    const of = purpose()
    const cut = upload(of, { 'content-length': String(bytes.length) }, (sending) => {
      sending.write(bytes.subarray(0, 1_000_000), () => sending.destroy())
    })
    await expect(cut).rejects.toThrow()
    await expect
      .poll(async () => (await services.system.query('SELECT FROM files WHERE purpose = $1', [of])).rowCount)
      .toBe(1)
    await expect.poll(() => left(of)).toEqual([])
  })
})

describe('a form', () => {
  const form = (text: string) =>
    ask('POST', '/form', { 'content-type': 'application/x-www-form-urlencoded' }, (sending) => sending.end(text))
  it('reaches its handler as fields', async () => {
    const answer = await form('a=1&b=x%20y&c=%C3%A4')
    expect([answer.status, JSON.parse(String(answer.bytes))]).toEqual([200, { a: '1', b: 'x y', c: 'ä' }])
  })
  it('with a field twice, or too large, is rejected', async () => {
    expect((await form('a=1&a=2')).status).toBe(400)
    expect((await form(`a=${'x'.repeat(200)}`)).status).toBe(413)
  })
})
