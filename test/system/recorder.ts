// Simulated agents that record what each has sent and what was acknowledged. They follow the protocol for
// unacknowledged frames: kept, and sent again with the same sequence after the next welcome.
import { generateKeyPairSync, type KeyObject, randomInt, randomUUID, sign } from 'node:crypto'
import { signDeviceCertificate } from '@muster/areas/fleet/enrollment/certificates.ts'
import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import type { Stack } from '@muster/stack/stack.ts'
import { decodeDown } from '@muster/wire/down.ts'
import { encodeFrame } from '@muster/wire/frame.ts'
import { encodeHeartbeat, heartbeatOf } from '@muster/wire/heartbeat-frame.ts'
import { proofBytes } from '@muster/wire/identity.ts'
import { hello } from '@muster/wire/messages/hello.ts'
import pg from 'pg'
import { WebSocket } from 'ws'
import { eventually } from './eventually.ts'

const vitals = {
  cpuPercent: 5,
  memoryUsed: 1_000,
  memoryTotal: 2_000,
  diskUsed: 3_000,
  diskTotal: 4_000,
  load1m: 0.5,
  uptimeSeconds: 60,
  networkRxBytes: 1,
  networkTxBytes: 2,
  processCount: 100,
}
const reconnectMs = 250
/** After a long outage an agent stays within the protocol's limits: a burst, then one frame per interval. */
const resendBurst = 150
const resendMs = 400

class RecordedAgent {
  readonly deviceId = randomUUID()
  readonly bootId = randomInt(1, 2 ** 47)
  readonly #keys = generateKeyPairSync('ed25519')
  readonly #unacknowledged = new Map<number, Uint8Array>()
  readonly acknowledged = new Set<number>()
  #certificate = ''
  #socket: WebSocket | undefined
  #sequence = 0
  #live = false
  #ended = false
  #comeBackAfterMs: number | undefined
  #resending: NodeJS.Timeout | undefined
  closes = 0

  get publicKey(): string {
    return (this.#keys.publicKey.export({ format: 'jwk' }).x ?? '') as string
  }
  get isLive(): boolean {
    return this.#live
  }
  get waiting(): number {
    return this.#unacknowledged.size
  }

  connect(url: string, certificate = this.#certificate): void {
    this.#certificate = certificate
    const socket = new WebSocket(url, 'muster.v1', { perMessageDeflate: false })
    this.#socket = socket
    socket.on('message', (bytes: Buffer) => this.#take(bytes, this.#keys.privateKey))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#live) this.closes += 1
      this.#live = false
      clearInterval(this.#resending)
      const delayMs = this.#comeBackAfterMs ?? reconnectMs
      this.#comeBackAfterMs = undefined
      if (!this.#ended) setTimeout(() => this.#ended || this.connect(url), delayMs)
    })
  }

  #take(bytes: Buffer, key: KeyObject): void {
    const message = decodeDown(bytes)
    if (message.name === 'challenge') {
      const signature = sign(null, proofBytes(message.body.nonce, this.#certificate), key)
      const body = {
        protocol: 1,
        certificate: this.#certificate,
        signature,
        bootId: this.bootId,
        agentVersion: '0.1.0',
        role: 'agent',
      }
      this.#socket?.send(encodeFrame(hello.type, 0, body))
    } else if (message.name === 'welcome') {
      this.#live = true
      this.#resend()
    } else if (message.name === 'retry') {
      this.#comeBackAfterMs = message.body.afterMs
    } else if (message.name === 'ack') {
      if (this.#unacknowledged.delete(message.sequence)) this.acknowledged.add(message.sequence)
    }
  }

  #resend(): void {
    const [...waiting] = this.#unacknowledged.values()
    for (const frame of waiting.splice(0, resendBurst)) this.#socket?.send(frame)
    this.#resending = setInterval(() => {
      const frame = waiting.shift()
      if (frame === undefined) clearInterval(this.#resending)
      else this.#socket?.send(frame)
    }, resendMs)
  }

  beat(cpuPercent: number): void {
    this.#sequence += 1
    const frame = encodeHeartbeat(this.#sequence, heartbeatOf({ ...vitals, cpuPercent }))
    this.#unacknowledged.set(this.#sequence, frame)
    if (this.#live) this.#socket?.send(frame)
  }

  end(): void {
    this.#ended = true
    clearInterval(this.#resending)
    this.#socket?.terminate()
  }
}

/** Devices written directly into the database, with certificates signed by the stack's keys. */
async function register(stack: Stack, agents: readonly RecordedAgent[], place: { orgId: string; partnerId: string }) {
  const client = new pg.Client({ connectionString: stack.urls.owner })
  await client.connect()
  const columns = [
    agents.map((agent) => agent.deviceId),
    agents.map((agent) => agent.publicKey),
    place.orgId,
    place.partnerId,
  ]
  await client.query(
    `WITH made AS (
       INSERT INTO devices (id, public_key, org_id, partner_id, hostname, enrolled_at, lifecycle)
       SELECT id, key, $3::uuid, $4::uuid, 'recorded-' || left(id::text, 8), now(), 'active' FROM unnest($1::uuid[], $2::text[]) AS given(id, key)
       RETURNING id)
     INSERT INTO device_state (device_id, org_id, partner_id) SELECT id, $3::uuid, $4::uuid FROM made`,
    columns,
  )
  await client.end()
}

/** Recorded agents that send heartbeats until they are stopped. */
export class Recorder {
  readonly agents: readonly RecordedAgent[]
  /** What the next heartbeats say. */
  cpuPercent = vitals.cpuPercent
  readonly #stack: Stack
  #beating: NodeJS.Timeout | undefined

  private constructor(stack: Stack, agents: readonly RecordedAgent[]) {
    this.#stack = stack
    this.agents = agents
  }

  /** @param url where they connect; directly to ingest by default */
  static async start(
    stack: Stack,
    count: number,
    place: { orgId: string; partnerId: string },
    url = stack.urls.ingest,
  ): Promise<Recorder> {
    const agents = Array.from({ length: count }, () => new RecordedAgent())
    await register(stack, agents, place)
    const keyring = readKeyring(stack.stores.secretFiles.keysFile)
    for (const agent of agents) {
      const device = { deviceId: agent.deviceId, ...place, generation: 1, publicKey: agent.publicKey }
      agent.connect(url, await signDeviceCertificate(keyring, device, Date.now()))
    }
    return new Recorder(stack, agents)
  }

  get live(): number {
    return this.agents.filter((agent) => agent.isLive).length
  }
  get acknowledged(): number {
    return this.agents.reduce((sum, agent) => sum + agent.acknowledged.size, 0)
  }
  get closes(): number {
    return this.agents.reduce((sum, agent) => sum + agent.closes, 0)
  }
  get waiting(): number {
    return this.agents.reduce((sum, agent) => sum + agent.waiting, 0)
  }

  /** Every agent sends this many heartbeats per second, independent of its connection. */
  beat(perSecond: number): void {
    this.rest()
    this.#beating = setInterval(() => {
      for (const agent of this.agents) agent.beat(this.cpuPercent)
    }, 1_000 / perSecond)
  }
  rest(): void {
    clearInterval(this.#beating)
  }

  /** What was acknowledged and is not stored, and what is stored more than once. Both should be empty. */
  async account(): Promise<{ lost: string[]; twice: string[]; stored: number }> {
    const client = new pg.Client({ connectionString: this.#stack.urls.owner })
    await client.connect()
    const { rows } = await client.query<{ device_id: string; sequence: string; times: string }>(
      'SELECT device_id, sequence, count(*) AS times FROM device_metrics WHERE device_id = ANY ($1) GROUP BY 1, 2',
      [this.agents.map((agent) => agent.deviceId)],
    )
    await client.end()
    const stored = new Set(rows.map((row) => `${row.device_id} ${row.sequence}`))
    const acknowledged = this.agents.flatMap((agent) =>
      [...agent.acknowledged].map((sequence) => `${agent.deviceId} ${sequence}`),
    )
    return {
      lost: acknowledged.filter((one) => !stored.has(one)),
      twice: rows.filter((row) => Number(row.times) > 1).map((row) => `${row.device_id} ${row.sequence}`),
      stored: stored.size,
    }
  }

  /** Waits until everything sent is acknowledged and stored. @returns the errors: two empty lists */
  async settled(withinMs = 120_000): Promise<{ lost: string[]; twice: string[] }> {
    this.rest()
    await eventually(async () => this.live === this.agents.length && this.waiting === 0, withinMs)
    const { lost, twice } = await eventually(async () => {
      const found = await this.account()
      return found.stored >= this.acknowledged && found
    }, withinMs)
    return { lost, twice }
  }

  /** How many of the devices are online. */
  async online(): Promise<number> {
    const client = new pg.Client({ connectionString: this.#stack.urls.owner })
    await client.connect()
    const { rowCount } = await client.query(
      `SELECT FROM device_state WHERE status = 'online' AND device_id = ANY ($1)`,
      [this.agents.map((agent) => agent.deviceId)],
    )
    await client.end()
    return rowCount ?? 0
  }

  end(): void {
    this.rest()
    for (const agent of this.agents) agent.end()
  }
}
