import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { batchField, deadStream, shardStream } from '@muster/backplane/keys.ts'
import { expect, it } from 'vitest'
import { appendEntry, storedOf, TestNode, until, untilDrained, withConsumer } from './testing/bed.ts'
import { boot, oneDevice } from './testing/fleet.ts'

const { bed } = await withConsumer()
/** Runs the command as an operator does. */
async function streams(...args: string[]): Promise<{ code: number; out: string }> {
  const file = fileURLToPath(new URL('streams-cli.ts', import.meta.url))
  const env = { REDIS_URL: bed.redisUrl }
  return promisify(execFile)(process.execPath, [file, ...args], { env }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, out: error.stderr }),
  )
}

it('lists and shows dead letters, and stores them after a replay', async () => {
  const device = await oneDevice(bed)
  const bootId = boot()
  await appendEntry(bed.redis, 0, Buffer.from('no batch'))
  await untilDrained(bed.redis, 0)
  await until(
    'the dead letter',
    () => bed.redis.xlen(deadStream(0)),
    (length) => length === 1,
  )
  const entry = new TestNode('node-a').heartbeat(device, bootId, 1).heartbeat(device, bootId, 2).flush()
  const id = await bed.redis.xadd(
    deadStream(0),
    '*',
    batchField,
    entry,
    'error',
    'refused',
    'from',
    '1-1',
    'tries',
    '5',
  )
  const listed: { id: string; records: number | null; error: string }[] = JSON.parse(
    (await streams('list', '--json')).out,
  )
  expect(listed).toMatchObject([{ records: null }, { id, records: 2, error: 'refused' }])
  expect((await streams('list')).out).toMatch(/^2 dead letters$/m)
  const shown = JSON.parse((await streams('show', '0', String(id))).out)
  expect(shown).toMatchObject({
    node: 'node-a',
    records: [{ kind: 'heartbeat', deviceId: device.id, bootId, sequence: 1 }, { sequence: 2 }],
  })
  expect((await streams('replay', '0', String(id))).out).toMatch(/1 entry replayed/)
  await until(
    'the heartbeats',
    () => storedOf(bed, [device]),
    (stored) => stored.length === 2,
  )
  expect(await bed.redis.xlen(deadStream(0))).toBe(1)
  // An entry that is not a batch becomes a dead letter again after each replay.
  await streams('replay', '--all')
  await untilDrained(bed.redis, 0)
  await until(
    'the dead letter again',
    () => bed.redis.xlen(deadStream(0)),
    (length) => length === 1,
  )
  expect(await bed.redis.xlen(shardStream(0))).toBe(0)
})

it('explains unknown dead letters and invalid arguments', async () => {
  expect(await streams('show', '0', '1-1')).toMatchObject({
    code: 2,
    out: expect.stringContaining('no dead letter 1-1'),
  })
  expect(await streams('bury')).toMatchObject({ code: 2, out: expect.stringContaining('npm run streams') })
})
