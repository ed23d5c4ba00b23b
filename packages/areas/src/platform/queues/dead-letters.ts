import { upTo } from '@muster/db/page.ts'
import { notFound } from '@muster/kit/errors.ts'
import { implement } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { deadLetters as contract } from './dead-letters.contract.ts'
import {
  contentOf,
  countDeadLetters,
  type DeadLetter,
  deadLetters,
  findDeadLetter,
  replayDeadLetter,
} from './dead-streams.ts'

const recordsMax = 200

export default implement(contract, {
  async list({ input: { cursor, limit }, services: { redis, settings } }) {
    const shards = settings.streamShards ?? 8
    const begin = cursor === undefined ? { shard: 0, after: null } : placeOf(cursor)
    const found: DeadLetter[] = []
    for (let shard = begin.shard; shard < shards && found.length <= limit; shard++) {
      const after = shard === begin.shard ? begin.after : null
      for await (const letter of deadLetters(redis, shard, after, limit + 1)) {
        found.push(letter)
        if (found.length > limit) break
      }
    }
    const { data, last } = upTo(limit, found)
    return {
      data: data.map((letter) => {
        const content = contentOf(letter)
        return { ...about(letter), records: 'records' in content ? content.records.length : null }
      }),
      nextCursor: last === null ? null : idOf(last),
      total: await countDeadLetters(redis, shards),
    }
  },

  async get({ input, services }) {
    const letter = await letterById(services, input.id)
    const content = contentOf(letter)
    const records = 'records' in content ? content.records : []
    return {
      ...about(letter),
      node: 'node' in content ? content.node : null,
      unreadable: 'unreadable' in content ? content.unreadable : null,
      recordCount: records.length,
      records: records.slice(0, recordsMax).map((record) => ({ ...record, body: readable(record.body) })),
    }
  },

  async replay({ input, services, write, audit }) {
    const letter = await letterById(services, input.id)
    const { shard, from, tries, error } = letter
    await write(async () => audit({ target: input.id, name: `shard ${shard}`, details: { from, tries, error } }))
    return { success: true as const, entry: (await replayDeadLetter(services.redis, letter)) ?? null }
  },
})

const idOf = ({ shard, id }: DeadLetter) => `${shard}.${id}`

function placeOf(id: string): { shard: number; after: string } {
  const [shard = '', after = ''] = id.split('.')
  return { shard: Number(shard), after }
}

function about(letter: DeadLetter) {
  const { shard, id, from, tries, error, batch } = letter
  return {
    id: idOf(letter),
    shard,
    at: new Date(Number(id.split('-')[0])).toISOString(),
    from,
    tries,
    error,
    bytes: batch.length,
  }
}

async function letterById({ redis }: Services, id: string): Promise<DeadLetter> {
  const { shard, after } = placeOf(id)
  const letter = await findDeadLetter(redis, shard, after)
  if (letter === undefined) throw notFound('Dead letter')
  return letter
}

/** A record as JSON: bytes as hexadecimal text, large numbers as text. */
function readable(body: unknown): unknown {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : typeof value === 'bigint'
        ? String(value)
        : value,
  )
  return text === undefined ? null : JSON.parse(text)
}
