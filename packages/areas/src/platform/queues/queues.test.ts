import { randomBytes } from 'node:crypto'
import { BatchWriter, recordKinds } from '@muster/backplane/batch.ts'
import { batchField, deadStream, shardStream } from '@muster/backplane/keys.ts'
import { pack } from '@muster/backplane/pack.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { operatorRedis } from '@muster/testkit/services.ts'
import { testDatabase } from '@muster/testkit/stores.ts'
import { world } from '@muster/testkit/world.ts'
import { PgBoss } from 'pg-boss'
import { afterAll, describe, expect, it } from 'vitest'
import { deadLetters } from './dead-letters.contract.ts'
import { jobs } from './jobs.contract.ts'

const redis = await operatorRedis()
const { systemAdmin, partnerAdmin } = await world()
const boss = new PgBoss({ connectionString: testDatabase().systemUrl, schema: 'pgboss', createSchema: false, max: 2 })
await boss.start()
afterAll(() => boss.stop({ graceful: false }))

/** A queue with one failed job, as workers create it. */
async function failedJob() {
  const queue = `sweep-${randomBytes(4).toString('hex')}`
  await boss.createQueue(queue, { policy: 'exclusive', retryLimit: 0 })
  await boss.schedule(queue, '7 3 * * *', null, { tz: 'UTC' })
  const id = (await boss.send(queue, {})) ?? ''
  await boss.fetch(queue)
  await boss.fail(queue, id, new Error('the disk is full'))
  return { queue, id }
}

describe('background jobs', () => {
  it('show their errors, and a failed job can be retried', async () => {
    const { queue, id } = await failedJob()
    const { data: queues } = await call(systemAdmin, jobs.queues, {})
    expect(queues.find(({ name }) => name === queue)).toMatchObject({
      schedule: '7 3 * * *',
      failed: 1,
      waiting: 0,
      lastError: 'the disk is full',
    })
    const failed = await call(systemAdmin, jobs.list, { queue, state: 'failed' })
    expect(failed).toMatchObject({
      data: [{ id, queue, state: 'failed', lastError: 'the disk is full' }],
      pagination: { total: 1 },
    })
    expect(await call(systemAdmin, jobs.retry, { id })).toMatchObject({ id, state: 'retry' })
    expect((await boss.fetch(queue))?.[0]?.id).toBe(id)
    await boss.complete(queue, id)
    expect((await call(systemAdmin, jobs.list, { queue })).data).toMatchObject([{ id, state: 'completed' }])
    expect(await auditOf(id)).toMatchObject([
      { action: 'job.retry', partner_id: null, details: { lastError: 'the disk is full' } },
    ])
  })

  it('cannot be retried while they run, or beside another job of the same kind', async () => {
    const { queue, id } = await failedJob()
    const next = await boss.send(queue, {})
    expect(await refusal(call(systemAdmin, jobs.retry, { id }))).toMatchObject({ status: 409 })
    expect(await refusal(call(systemAdmin, jobs.retry, { id: next ?? '' }))).toMatchObject({ status: 409 })
    const unknownId = '00000000-0000-4000-8000-000000000000'
    expect(await refusal(call(systemAdmin, jobs.retry, { id: unknownId }))).toMatchObject({ status: 404 })
  })
})

describe('dead letters', () => {
  const shard = 5
  const addDeadLetter = async (batch: Buffer, error: string) => {
    const id = await redis.xadd(deadStream(shard), '*', batchField, batch, 'error', error, 'from', '1-1', 'tries', '5')
    return `${shard}.${id}`
  }

  it('are listed, shown record by record, and replayed once', async () => {
    const unreadable = await addDeadLetter(Buffer.from('no batch'), 'cannot be read')
    const writer = new BatchWriter('node-a', 1024)
    writer.append(recordKinds.disconnected, Buffer.alloc(16, 7), 3, 4, Date.UTC(2026, 0, 1), pack({}))
    const id = await addDeadLetter(Buffer.from(writer.flush()), 'refused by the database')
    const { data, total } = await call(systemAdmin, deadLetters.list, { limit: 100 })
    expect(total).toBeGreaterThanOrEqual(2)
    expect(data.find((letter) => letter.id === unreadable)).toMatchObject({ records: null, error: 'cannot be read' })
    expect(data.find((letter) => letter.id === id)).toMatchObject({ shard, records: 1, tries: 5 })
    expect(await call(systemAdmin, deadLetters.get, { id })).toMatchObject({
      node: 'node-a',
      unreadable: null,
      recordCount: 1,
      records: [{ bootId: 3, sequence: 4, receivedAt: '2026-01-01T00:00:00.000Z' }],
    })
    const before = await redis.xlen(shardStream(shard))
    const { entry } = await call(systemAdmin, deadLetters.replay, { id })
    expect(await redis.xlen(shardStream(shard))).toBe(before + 1)
    expect(await refusal(call(systemAdmin, deadLetters.replay, { id }))).toMatchObject({ status: 404 })
    expect(await auditOf(id)).toMatchObject([
      { action: 'dead_letter.replay', details: { error: 'refused by the database' } },
    ])
    await redis.xdel(shardStream(shard), entry ?? '')
    await redis.xdel(deadStream(shard), unreadable.slice(2))
  })

  it('are listed in pages without repetition', async () => {
    const ids = [await addDeadLetter(Buffer.from('a'), 'one'), await addDeadLetter(Buffer.from('b'), 'two')]
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const part = await call(systemAdmin, deadLetters.list, { limit: 1, ...(cursor && { cursor }) })
      seen.push(...part.data.map(({ id }) => id))
      if (part.nextCursor === null) break
      cursor = part.nextCursor
    }
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids)
    for (const id of ids) await redis.xdel(deadStream(shard), id.slice(2))
  })

  it('require all permissions in system scope', async () => {
    expect(await refusal(call(partnerAdmin, deadLetters.list, {}))).toMatchObject({ status: 403 })
    expect(await refusal(call(partnerAdmin, jobs.queues, {}))).toMatchObject({ status: 403 })
  })
})
