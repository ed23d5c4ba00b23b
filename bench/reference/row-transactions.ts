// R2: how most services of this kind store a heartbeat: one transaction for each, on a few connections.

import pg from 'pg'
import { z } from 'zod'
import { answerRequests } from '../src/answering.ts'
import { idOf, tenantOf } from '../src/fleet-files.ts'
import { figureValues } from './figures.ts'

const Request = z.object({
  url: z.string(),
  agents: z.int(),
  connections: z.int(),
  seconds: z.number(),
  bootId: z.int(),
})

const figures = Object.keys(figureValues)
const parameters = (from: number) => figures.map((_, index) => `$${from + index}`)
const update = {
  name: 'state',
  text: `UPDATE device_state SET boot_id = $2, sequence = $3, last_seen_at = $4,
      ${figures.map((name, index) => `${name} = $${5 + index}`).join(', ')}
    WHERE device_id = $1 AND (boot_id <> $2 OR sequence < $3)`,
}
const insert = {
  name: 'metrics',
  text: `INSERT INTO device_metrics (device_id, boot_id, sequence, at, ${figures.join(', ')}, org_id, partner_id)
    VALUES ($1, $2, $3, $4, ${parameters(5).join(', ')}, $${5 + figures.length}, $${6 + figures.length})`,
}

answerRequests(async (asked) => {
  const { url, agents, connections, seconds, bootId } = Request.parse(asked)
  const startedAt = performance.now()
  let sequence = 0
  let stored = 0
  const work = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      while (performance.now() - startedAt < seconds * 1000) {
        const agent = sequence++ % agents
        const { org, partner } = tenantOf(agent)
        const row = [idOf('device', agent), bootId, sequence, new Date(), ...Object.values(figureValues)]
        await client.query('BEGIN')
        await client.query({ ...update, values: row })
        await client.query({ ...insert, values: [...row, idOf('org', org), idOf('partner', partner)] })
        await client.query('COMMIT')
        stored++
      }
    } finally {
      await client.end()
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  return { stored, seconds: (performance.now() - startedAt) / 1000 }
})
