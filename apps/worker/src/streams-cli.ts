// Dead letters: entries of the streams that could not be stored. An operator lists, shows and replays them.
import { parseArgs } from 'node:util'
import {
  contentOf,
  type DeadLetter,
  deadLetters,
  findDeadLetter,
  replayDeadLetter,
} from '@muster/areas/platform/queues/index.ts'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { readConfig, redisUrl, wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'

const usage = `npm run streams -- list [--json]            list dead letters by shard
npm run streams -- show <shard> <id>       show the content of one
npm run streams -- replay <shard> <id>     replay one
npm run streams -- replay --all            replay all`

const Settings = z.object({ REDIS_URL: redisUrl(), STREAM_SHARDS: wholeNumber(1, 1024, 8) })

class UsageError extends Error {}

async function all(redis: Redis, shards: number): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = []
  for (let shard = 0; shard < shards; shard++)
    for await (const letter of deadLetters(redis, shard)) letters.push(letter)
  return letters
}

function listed({ batch, ...letter }: DeadLetter) {
  const content = contentOf({ batch, ...letter })
  return { ...letter, bytes: batch.length, records: 'records' in content ? content.records.length : null }
}

async function list(redis: Redis, shards: number, asJson: boolean): Promise<void> {
  const letters = (await all(redis, shards)).map(listed)
  if (asJson) return console.log(JSON.stringify(letters))
  for (const { shard, id, from, tries, records, bytes, error } of letters)
    console.log(
      `shard ${shard}  ${id}  from ${from}  ${records ?? 'no'} records  ${bytes} bytes  tried ${tries} times  ${error}`,
    )
  console.log(letters.length === 1 ? '1 dead letter' : `${letters.length} dead letters`)
}

async function one(redis: Redis, shard: string | undefined, id: string | undefined): Promise<DeadLetter> {
  if (shard === undefined || !/^\d+$/.test(shard) || id === undefined || !/^\d+-\d+$/.test(id))
    throw new UsageError(usage)
  const letter = await findDeadLetter(redis, Number(shard), id)
  if (letter === undefined) throw new UsageError(`Shard ${shard} has no dead letter ${id}`)
  return letter
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, all: { type: 'boolean' } },
  })
  const [verb, shard, id] = positionals
  if (verb !== 'list' && verb !== 'show' && verb !== 'replay') throw new UsageError(usage)
  const { REDIS_URL, STREAM_SHARDS: shards } = readConfig(Settings)
  const redis = connectRedis(REDIS_URL, 'streams')
  try {
    await untilReady(redis, 10_000)
    if (verb === 'list') return await list(redis, shards, values.json === true)
    if (verb === 'show') {
      const { batch, ...letter } = await one(redis, shard, id)
      return console.log(JSON.stringify({ ...letter, ...contentOf({ batch, ...letter }) }, null, 2))
    }
    const letters = values.all === true ? await all(redis, shards) : [await one(redis, shard, id)]
    for (const letter of letters)
      console.log(`shard ${letter.shard}  ${letter.id} is ${await replayDeadLetter(redis, letter)} now`)
    console.log(letters.length === 1 ? '1 entry replayed' : `${letters.length} entries replayed`)
  } finally {
    redis.disconnect()
  }
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
