import { nextAfter, outageAfter } from '@muster/agent/retry.ts'
import { decodeDown } from '@muster/wire/down.ts'
import { emptyHeader, readHeaderAt } from '@muster/wire/frame.ts'
import { ack } from '@muster/wire/messages/ack.ts'
import type { Challenge } from '@muster/wire/messages/challenge.ts'
import type { Command } from '@muster/wire/messages/command.ts'
import { order } from '@muster/wire/messages/order.ts'
import { settings } from '@muster/wire/messages/settings.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import { messageIn } from '@muster/wire/orders.ts'
import { resumptionProof } from '@muster/wire/resumption.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { protocolVersion } from '@muster/wire/version.ts'
import { Credentials } from '../fleet-files.ts'
import { Histogram } from '../histogram.ts'
import { heartbeatFrame } from './heartbeats.ts'
import { binaryFrame, LeanSocket, type SocketOwner } from './lean-socket.ts'
import { Ledger } from './ledger.ts'
import type { AgentsPlan, Receipt, Standing } from './messages.ts'

const agentState = { away: 0, connecting: 1, live: 2, waiting: 3 } as const
const connectTickMs = 10
/** Each agent has some ports of its source address for itself and uses them in turn: the previous one may still be in use. */
const portsFrom = 4_000
const portsPerAgent = 6
/** Connections started before sockets get their turn: agents that share a process must not delay each other's answers. */
const connectsPerTurn = 50
const header = emptyHeader()

/** All agents of one client process, as columns: they connect, prove their identity, send, and record acknowledgments. */
export class Agents implements SocketOwner {
  readonly ledger: Ledger
  /** From the due time of a heartbeat to its acknowledgment. */
  readonly ackLatency = new Histogram()
  readonly #plan: AgentsPlan
  readonly #credentials: Credentials | undefined
  readonly #sockets: (LeanSocket | undefined)[]
  readonly #state: Uint8Array
  readonly #attempts: Uint32Array
  readonly #outageMs: Float64Array
  readonly #endedAtMs: Float64Array
  readonly #welcomedAtMs: Float64Array
  readonly #hintMs: Map<number, number> = new Map()
  readonly #tickets: (Ticket | undefined)[]
  /** Agents whose ticket is being checked. */
  readonly #resuming: Set<number> = new Set()
  /** Frames other than heartbeats, by agent and sequence, until they are acknowledged. */
  readonly #others: Map<string, Uint8Array> = new Map()
  readonly #obeyed: Set<string> = new Set()
  readonly #closes: Map<string, number> = new Map()
  readonly #timers: Set<NodeJS.Timeout> = new Set()
  /** Agents whose wait is over. */
  #due: number[] = []
  #isConnecting = false
  #orders: { frame: Uint8Array; atMicros: number }[] = []
  #connecting = 0
  #live = 0
  #welcomes = 0
  #started = 0
  #wanted = 0
  #isStopped = false

  constructor(plan: AgentsPlan) {
    this.#plan = plan
    this.#credentials = plan.isBare ? undefined : new Credentials(plan.folder, plan.first, plan.agents)
    this.ledger = new Ledger(plan.first, plan.agents, plan.sequencesMax, plan.bootId)
    this.#sockets = new Array<LeanSocket | undefined>(plan.agents)
    this.#tickets = new Array<Ticket | undefined>(plan.agents)
    this.#state = new Uint8Array(plan.agents)
    this.#attempts = new Uint32Array(plan.agents)
    this.#outageMs = new Float64Array(plan.agents)
    this.#endedAtMs = new Float64Array(plan.agents)
    this.#welcomedAtMs = new Float64Array(plan.agents)
  }

  /** Starts connections up to the given number. */
  open(agents: number): void {
    this.#wanted = Math.min(agents, this.#plan.agents)
    this.#ramp(performance.now(), this.#started)
  }

  standing(): Standing {
    const { sent, acknowledged, surplusAcks } = this.ledger
    const closes = Object.fromEntries(this.#closes)
    const [live, connecting, welcomes] = [this.#live, this.#connecting, this.#welcomes]
    return { live, connecting, welcomes, sent, acknowledged, surplusAcks, closes }
  }

  /** Commands and update signals received since the previous call. */
  takeReceipts(): Receipt[] {
    const taken = this.#orders
    this.#orders = []
    return taken.map(({ frame, atMicros }) => {
      const message = plainMessageIn(frame)
      return { id: message.name === 'command' ? message.body.id : message.name, atMicros }
    })
  }

  /** Sends a heartbeat that was due at `dueMs`; false when the agent is not connected or its ledger is full. */
  beat(agent: number, dueMs: number): boolean {
    if (this.#state[agent] !== agentState.live) return false
    const sequence = this.ledger.send(agent, dueMs * 1000)
    if (sequence === 0) return false
    this.#sockets[agent]?.write(heartbeatFrame(sequence))
    return true
  }

  stop(): void {
    this.#isStopped = true
    this.#due = []
    for (const timer of this.#timers) clearTimeout(timer)
    for (const socket of this.#sockets) socket?.destroy()
  }

  opened(agent: number): void {
    if (this.#plan.isBare) this.#becameLive(agent)
  }

  received(agent: number, bytes: Buffer, start: number, end: number): void {
    readHeaderAt(bytes, start, end, header)
    if (header.fault === null && header.type === ack.type) {
      this.#acknowledged(agent, header.sequence)
      return
    }
    if (header.type === order.type || header.type === settings.type) {
      this.#ordered(agent, Buffer.from(bytes.subarray(start, end)))
      return
    }
    const message = decodeDown(bytes.subarray(start, end))
    if (message.name === 'challenge') this.#answer(agent, message.body)
    else if (message.name === 'welcome') this.#becameLive(agent)
    else if (message.name === 'ticket') this.#tickets[agent] = copyOf(message.body)
    else if (message.name === 'retry') this.#hintMs.set(agent, message.body.afterMs)
  }

  closed(agent: number, code: number, retryAfter: string | undefined): void {
    const wasLive = this.#state[agent] === agentState.live
    if (wasLive) this.#live--
    else this.#connecting--
    this.#sockets[agent] = undefined
    this.#unresumed(agent)
    if (this.#isStopped) return
    this.#state[agent] = agentState.waiting
    const why = retryAfter === undefined ? String(code) : 'refused'
    this.#closes.set(why, (this.#closes.get(why) ?? 0) + 1)
    const now = performance.now()
    const ending = {
      welcomed: wasLive,
      lastedMs: wasLive ? now - (this.#welcomedAtMs[agent] ?? 0) : 0,
      code,
      reason: '',
      hintMs: this.#hintMs.get(agent),
      retryAfterMs: retryAfter === undefined ? undefined : Number(retryAfter) * 1000,
    }
    this.#hintMs.delete(agent)
    // The same rule as in real agents.
    const outageMs = outageAfter(ending, this.#outageMs[agent] ?? 0, now - (this.#endedAtMs[agent] ?? 0))
    const next = nextAfter(ending, outageMs)
    this.#outageMs[agent] = outageMs
    this.#endedAtMs[agent] = now
    if (next.kind === 'wait') this.#later(next.delayMs, () => this.#isDue(agent))
  }

  // A number per second, with a limit on unfinished ones.
  #ramp(sinceMs: number, before: number): void {
    const { connectsPerSecond, connectingMax } = this.#plan
    const due = Math.min(this.#wanted, before + ((performance.now() - sinceMs) / 1000) * connectsPerSecond)
    while (this.#started < due && this.#connecting < connectingMax) {
      // The outage of an agent starts when it starts.
      this.#endedAtMs[this.#started] = performance.now()
      this.#connect(this.#started++)
    }
    if (this.#started < this.#wanted) this.#later(connectTickMs, () => this.#ramp(sinceMs, before))
  }

  #isDue(agent: number): void {
    this.#due.push(agent)
    if (this.#isConnecting) return
    this.#isConnecting = true
    setImmediate(() => this.#connectDue())
  }

  #connectDue(): void {
    for (const agent of this.#due.splice(0, connectsPerTurn)) this.#connect(agent)
    this.#isConnecting = this.#due.length > 0
    if (this.#isConnecting) setImmediate(() => this.#connectDue())
  }

  #connect(agent: number): void {
    const { sources, target } = this.#plan
    const address = sources[agent % sources.length] ?? '127.0.0.1'
    const attempt = this.#attempts[agent] ?? 0
    this.#attempts[agent] = attempt + 1
    const port = portsFrom + Math.floor(agent / sources.length) * portsPerAgent + (attempt % portsPerAgent)
    this.#state[agent] = agentState.connecting
    this.#connecting++
    this.#sockets[agent] = new LeanSocket(target, { address, port }, this, agent)
  }

  // A second challenge on a socket means that the ticket was rejected.
  #answer(agent: number, { nonce, tickets = false }: Challenge): void {
    const given = this.#unresumed(agent) ? undefined : this.#tickets[agent]
    if (tickets && given !== undefined) this.#resume(agent, nonce, given)
    else this.#introduce(agent, nonce, tickets)
  }

  #resume(agent: number, nonce: Uint8Array, { ticket, secret }: Ticket): void {
    const { bootId } = this.#plan
    this.#resuming.add(agent)
    const said = { protocol: protocolVersion, ticket, bootId, agentVersion: '1.0.0', role: 'agent' as const }
    const body = { ...said, proof: resumptionProof(secret, nonce, said) }
    this.#sockets[agent]?.write(binaryFrame(encodeUp({ name: 'resume', sequence: 0, body })))
  }

  /** Drops a rejected ticket; returns whether there was one. */
  #unresumed(agent: number): boolean {
    if (!this.#resuming.delete(agent)) return false
    this.#tickets[agent] = undefined
    return true
  }

  #introduce(agent: number, nonce: Uint8Array, keepsTickets: boolean): void {
    const certificate = this.#credentials?.certificate(agent) ?? ''
    const signature = this.#credentials?.prove(agent, nonce, certificate) ?? Buffer.alloc(64)
    const { bootId } = this.#plan
    const body = {
      protocol: protocolVersion,
      certificate,
      signature,
      bootId,
      agentVersion: '1.0.0',
      role: 'agent' as const,
      ...(keepsTickets && { tickets: true }),
    }
    this.#sockets[agent]?.write(binaryFrame(encodeUp({ name: 'hello', sequence: 0, body })))
  }

  #becameLive(agent: number): void {
    this.#state[agent] = agentState.live
    this.#resuming.delete(agent)
    this.#connecting--
    this.#live++
    this.#welcomes++
    this.#welcomedAtMs[agent] = performance.now()
    for (const sequence of this.ledger.unacknowledged(agent)) {
      this.#sockets[agent]?.write(this.#others.get(`${agent}/${sequence}`) ?? heartbeatFrame(sequence))
    }
  }

  #acknowledged(agent: number, sequence: number): void {
    const dueMicros = this.ledger.acknowledge(agent, sequence)
    if (dueMicros >= 0) this.ackLatency.record(performance.now() * 1000 - dueMicros)
    if (this.#others.size > 0) this.#others.delete(`${agent}/${sequence}`)
  }

  // Only recorded on arrival and decoded later, so that decoding does not slow a broadcast.
  #ordered(agent: number, frame: Uint8Array): void {
    this.#orders.push({ frame, atMicros: Number(process.hrtime.bigint() / 1000n) })
    if (header.type === settings.type || !this.#plan.answersCommands) return
    const message = plainMessageIn(frame)
    if (message.name === 'command') this.#obey(agent, message.body)
  }

  // As in real agents: a repeated command has already run.
  #obey(agent: number, { id }: Command): void {
    if (this.#obeyed.has(id)) return
    this.#obeyed.add(id)
    const { commandMs } = this.#plan
    if (commandMs === 0) this.#report(agent, id)
    else this.#later(commandMs, () => this.#report(agent, id))
  }

  #report(agent: number, id: string): void {
    const sequence = this.ledger.send(agent, performance.now() * 1000)
    if (sequence === 0) return
    const body = { commandId: id, status: 'completed' as const, exitCode: 0, durationMs: 1 }
    const frame = binaryFrame(encodeUp({ name: 'result', sequence, body }))
    this.#others.set(`${agent}/${sequence}`, frame)
    this.#sockets[agent]?.write(frame)
  }

  #later(delayMs: number, what: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!this.#isStopped) what()
    }, delayMs)
    this.#timers.add(timer)
  }
}

/** The message itself, also of one that the server signed. */
function plainMessageIn(frame: Uint8Array) {
  const received = decodeDown(frame)
  return received.name === 'order' ? messageIn(received.body) : received
}

// Decoded bytes are in a buffer that all sockets share.
function copyOf({ ticket, secret }: Ticket): Ticket {
  return { ticket: Uint8Array.from(ticket), secret: Uint8Array.from(secret) }
}
