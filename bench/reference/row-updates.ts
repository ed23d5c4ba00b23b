// The state of devices updated row by row: one connection, one statement and commit per heartbeat.

import pg from 'pg'
import { z } from 'zod'
import { answerRequests } from '../src/answering.ts'
import { idOf } from '../src/fleet-files.ts'
import { figureValues } from './figures.ts'

const Request = z.object({ url: z.string(), agents: z.int(), seconds: z.number(), bootId: z.int() })

const update = {
  name: 'state',
  text: `UPDATE device_state SET boot_id = $2, sequence = $3, last_seen_at = $4,
      ${Object.keys(figureValues)
        .map((name, index) => `${name} = $${5 + index}`)
        .join(', ')}
    WHERE device_id = $1 AND (boot_id <> $2 OR sequence < $3)`,
}

answerRequests(async (asked) => {
  const { url, agents, seconds, bootId } = Request.parse(asked)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const startedAt = performance.now()
    let stored = 0
    for (; performance.now() - startedAt < seconds * 1000; stored++) {
      const row = [idOf('device', stored % agents), bootId, stored + 1, new Date(), ...Object.values(figureValues)]
      const { rowCount } = await client.query({ ...update, values: row })
      if (rowCount !== 1) throw new Error('no such device')
    }
    return { stored, seconds: (performance.now() - startedAt) / 1000 }
  } finally {
    await client.end()
  }
})
