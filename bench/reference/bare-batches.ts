// R3: what PostgreSQL alone achieves with the same rows. One connection, one transaction per batch with a COPY into
// device_metrics and an UPDATE of device_state, both in binary; nothing is received, decoded or checked.

import { once } from 'node:events'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { z } from 'zod'
import { answerRequests } from '../src/answering.ts'
import { idOf, tenantOf } from '../src/fleet-files.ts'
import { figureValues } from './figures.ts'

const Request = z.object({ url: z.string(), agents: z.int(), batch: z.int(), seconds: z.number(), bootId: z.int() })

const figures = [
  ['cpu_percent', 'real'],
  ['memory_used', 'bigint'],
  ['memory_total', 'bigint'],
  ['disk_used', 'bigint'],
  ['disk_total', 'bigint'],
  ['load_1m', 'real'],
  ['uptime_seconds', 'bigint'],
  ['network_rx_bytes', 'bigint'],
  ['network_tx_bytes', 'bigint'],
  ['process_count', 'integer'],
] as const
const types = { uuid: 2950, timestamptz: 1184, bigint: 20, integer: 23, real: 700 } as const
type Type = keyof typeof types

const copyStatement = `COPY device_metrics (at, device_id, org_id, partner_id, boot_id, sequence, ${figures
  .map(([name]) => name)
  .join(', ')}) FROM STDIN (FORMAT binary)`
const updateStatement = {
  name: 'state',
  text: `UPDATE device_state d SET boot_id = r.boot_id, sequence = r.sequence, last_seen_at = r.at,
      ${figures.map(([name]) => `${name} = r.${name}`).join(', ')}
    FROM unnest($1::heartbeat_row[]) r
    WHERE d.device_id = r.device_id AND (d.boot_id <> r.boot_id OR d.sequence < r.sequence)`,
}
/** PostgreSQL counts microseconds from the start of the year 2000. */
const epochMs = 946_684_800_000

/** Rows of one layout, equal except for the fields that are patched. */
interface Form {
  readonly template: Buffer
  readonly at: number
  readonly device: number
  readonly org: number
  readonly partner: number
  readonly boot: number
  readonly sequence: number
}

// The fields of a row with a length of four bytes each; in composites a type of four bytes comes first.
function formOf(header: Buffer, names: readonly (readonly [string, Type])[], hasTypes: boolean): Form {
  const parts = [header]
  const places: Record<string, number> = {}
  let length = header.length
  for (const [name, type] of names) {
    const size = type === 'uuid' ? 16 : type === 'real' || type === 'integer' ? 4 : 8
    const field = Buffer.alloc((hasTypes ? 4 : 0) + 4 + size)
    if (hasTypes) field.writeInt32BE(types[type], 0)
    field.writeInt32BE(size, field.length - size - 4)
    writeFigure(field, field.length - size, type, figureValues[name] ?? 0)
    places[name] = length + field.length - size
    parts.push(field)
    length += field.length
  }
  const place = (name: string) => places[name] ?? -1
  return {
    template: Buffer.concat(parts),
    at: place('at'),
    device: place('device_id'),
    org: place('org_id'),
    partner: place('partner_id'),
    boot: place('boot_id'),
    sequence: place('sequence'),
  }
}

function writeFigure(bytes: Buffer, at: number, type: Type, value: number): void {
  if (type === 'real') bytes.writeFloatBE(value, at)
  else if (type === 'integer') bytes.writeInt32BE(value, at)
  else if (type !== 'uuid') writeInt64(bytes, at, value)
}

function writeInt64(bytes: Buffer, at: number, value: number): void {
  const high = Math.floor(value / 2 ** 32)
  bytes.writeInt32BE(high, at)
  bytes.writeUInt32BE(value - high * 2 ** 32, at + 4)
}

const shared = [['boot_id', 'bigint'], ['sequence', 'bigint'], ...figures] as const
const copyHeader = Buffer.from([0, 6 + figures.length])
const copyForm = formOf(
  copyHeader,
  [['at', 'timestamptz'], ['device_id', 'uuid'], ['org_id', 'uuid'], ['partner_id', 'uuid'], ...shared],
  false,
)

function compositeForm(): Form {
  const form = formOf(Buffer.alloc(8), [['device_id', 'uuid'], ['at', 'timestamptz'], ...shared], true)
  form.template.writeInt32BE(form.template.length - 4, 0)
  form.template.writeInt32BE(4 + figures.length, 4)
  return form
}

/** A buffer of equal rows after a header; the fields that differ are patched for each batch. */
class Rows {
  readonly bytes: Buffer
  readonly #form: Form
  readonly #from: number

  constructor(form: Form, header: Buffer, rows: number, trailer: Buffer) {
    this.#form = form
    this.#from = header.length
    this.bytes = Buffer.concat([header, ...new Array<Buffer>(rows).fill(form.template), trailer])
  }

  patch(row: number, ids: AgentIds, micros: number, bootId: number, sequence: number): void {
    const { template, at, device, org, partner, boot, sequence: place } = this.#form
    const start = this.#from + row * template.length
    writeInt64(this.bytes, start + at, micros)
    ids.device.copy(this.bytes, start + device)
    if (org >= 0) ids.org.copy(this.bytes, start + org)
    if (partner >= 0) ids.partner.copy(this.bytes, start + partner)
    writeInt64(this.bytes, start + boot, bootId)
    writeInt64(this.bytes, start + place, sequence)
  }
}

interface AgentIds {
  readonly device: Buffer
  readonly org: Buffer
  readonly partner: Buffer
}

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')

function agentIds(agent: number): AgentIds {
  const { org, partner } = tenantOf(agent)
  const device = bytesOf(idOf('device', agent))
  return { device, org: bytesOf(idOf('org', org)), partner: bytesOf(idOf('partner', partner)) }
}

answerRequests(async (asked) => {
  const { url, agents, batch, seconds, bootId } = Request.parse(asked)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ type: string }>(`SELECT 'heartbeat_row'::regtype::oid::text AS type`)
    const [copyRows, stateRows] = buffers(batch, Number(rows[0]?.type))
    const everyone = Array.from({ length: agents }, (_, agent) => agentIds(agent))
    const startedAt = performance.now()
    let stored = 0
    for (let sequence = 1; performance.now() - startedAt < seconds * 1000; ) {
      const micros = (Date.now() - epochMs) * 1000
      for (let row = 0; row < batch; row++, sequence++) {
        const ids = everyone[(sequence - 1) % agents]
        if (ids === undefined) throw new Error('no such agent')
        copyRows.patch(row, ids, micros, bootId, sequence)
        stateRows.patch(row, ids, micros, bootId, sequence)
      }
      await client.query('BEGIN')
      const { rowCount } = await client.query({ ...updateStatement, values: [stateRows.bytes] })
      if (rowCount !== batch) throw new Error(`${rowCount} states changed instead of ${batch}`)
      const copying = client.query(copyFrom(copyStatement))
      copying.end(copyRows.bytes)
      await once(copying, 'finish')
      await client.query('COMMIT')
      stored += batch
    }
    return { stored, seconds: (performance.now() - startedAt) / 1000 }
  } finally {
    await client.end()
  }
})

function buffers(batch: number, rowType: number): [Rows, Rows] {
  const signature = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
  const array = Buffer.alloc(20)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(rowType, 8)
  array.writeInt32BE(batch, 12)
  array.writeInt32BE(1, 16)
  return [
    new Rows(copyForm, signature, batch, Buffer.from([0xff, 0xff])),
    new Rows(compositeForm(), array, batch, Buffer.alloc(0)),
  ]
}
