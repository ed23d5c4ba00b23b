import { can, get, limit, personCan, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** Shard and ID in its stream: `3.1767225600000-0`. */
const letterId = z.string().regex(/^\d{1,4}\.\d{1,15}-\d{1,10}$/, { error: 'must be the id of a dead letter' })

/** An entry from agents that could not be stored. */
export const DeadLetter = z.object({
  id: letterId,
  shard: z.number(),
  /** When it became a dead letter. */
  at: time(),
  /** The original entry, or the entry that it was a part of. */
  from: z.string(),
  tries: z.number(),
  error: z.string(),
  bytes: z.number(),
  /** The number of records; null when the entry cannot be read. */
  records: z.number().nullable(),
})
export type DeadLetter = z.infer<typeof DeadLetter>

const LetterRecord = z.object({
  kind: z.string(),
  deviceId: z.string(),
  bootId: z.number(),
  sequence: z.number(),
  receivedAt: z.string(),
  body: z.unknown(),
})

const access = can('*:*', 'system')

export const deadLetters = {
  list: get('/system/dead-letters', {
    summary: 'List dead letters by shard, oldest first',
    access,
    input: z.object({ cursor: letterId.optional(), limit: limit(100, 100) }),
    output: z.object({ data: z.array(DeadLetter), nextCursor: letterId.nullable(), total: z.number() }),
    transaction: 'own',
  }),
  get: get('/system/dead-letters/:id', {
    summary: 'Get a dead letter with its first 200 records',
    access,
    input: z.object({ id: letterId }),
    output: DeadLetter.omit({ records: true }).extend({
      node: z.string().nullable(),
      /** Why the entry cannot be read; null when it can. */
      unreadable: z.string().nullable(),
      recordCount: z.number(),
      records: z.array(LetterRecord),
    }),
    transaction: 'own',
  }),
  replay: post('/system/dead-letters/:id/replay', {
    summary: 'Replay a dead letter. Records that still fail become a dead letter again',
    access: personCan('*:*', 'system'),
    audit: 'dead_letter.replay',
    input: z.object({ id: letterId }),
    output: z.object({ success: z.literal(true), entry: z.string().nullable() }),
    transaction: 'own',
  }),
}
