import { type DownMessage, decodeDown } from '@muster/wire/down.ts'
import { WireError } from '@muster/wire/frame.ts'
import { frameBytesMax } from '@muster/wire/limits.ts'
import type { Assignment } from '@muster/wire/messages/assignment.ts'
import type { Command } from '@muster/wire/messages/command.ts'
import type { Observations } from '@muster/wire/messages/observations.ts'
import type { Request } from '@muster/wire/messages/request.ts'
import { messageIn } from '@muster/wire/orders.ts'
import { encodeUp, type UpMessage } from '@muster/wire/up.ts'
import { protocolVersion, subprotocol } from '@muster/wire/version.ts'
import { WebSocket } from 'ws'
import { capabilitiesOf } from './capabilities.ts'
import { Chance } from './chance.ts'
import { outcomeOf, replyTo } from './commands.ts'
import { type Machine, machineOf } from './machine.ts'
import type { Roster } from './roster.ts'
import { sourceOf } from './source.ts'
import { Checks } from './tools/checks.ts'
import { Facts } from './tools/facts.ts'
import { toolsOf } from './tools/machine-tools.ts'
import { absenceAfter } from './tools/power.ts'
import type { Tools } from './tools/tool.ts'
import { Vitals } from './vitals.ts'

const backoffMs = { first: 1_000, most: 60_000 } as const
const restless = { onlineMs: 240_000, offlineMs: 90_000 } as const
/** How long a machine that will disappear is online first. */
const goneAfterMs = 5_000

type Unnumbered<T> = T extends UpMessage ? Omit<T, 'sequence'> : never

/** One simulated agent: it uses the real protocol for a machine that does not exist. */
export class DemoAgent {
  readonly #machine: Machine
  readonly #roster: Roster
  readonly #ingest: string
  readonly #chance: Chance
  readonly #vitals: Vitals
  readonly #bootId = Date.now()
  readonly #timers: Set<NodeJS.Timeout> = new Set()
  /** Sent and not yet acknowledged, by sequence. */
  readonly #unacknowledged: Map<number, Uint8Array> = new Map()
  readonly #done: Set<string> = new Set()
  #beat: NodeJS.Timeout | undefined
  #socket: WebSocket | undefined
  #sequence = 0
  #failures = 0
  #hintMs = 0
  /** How long the machine stays off after its connection ends. */
  #offMs = 0
  #isStopped = false
  #toldInventory = false
  #tools: Tools | undefined
  readonly #checks = new Checks()
  readonly #facts: Facts

  constructor(index: number, ingest: string, roster: Roster) {
    this.#machine = machineOf(index)
    this.#facts = new Facts(this.#machine)
    this.#roster = roster
    this.#ingest = ingest
    this.#chance = new Chance(`agent ${index}`)
    this.#vitals = new Vitals(this.#machine, Date.now())
  }

  connect(): void {
    if (this.#isStopped) return
    const { index } = this.#machine
    const socket = new WebSocket(this.#ingest, subprotocol, {
      perMessageDeflate: false,
      maxPayload: frameBytesMax,
      localAddress: sourceOf(index),
    })
    this.#socket = socket
    socket.on('message', (data, isBinary) => {
      if (isBinary && data instanceof Uint8Array) this.#receive(data)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => this.#closed())
  }

  /** Its place in the list of machines. */
  get index(): number {
    return this.#machine.index
  }

  /** Ends the connection, for a time. */
  lose(offMs: number): void {
    if (this.#socket === undefined) return
    this.#offMs = offMs
    this.#socket.terminate()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#beat)
    for (const timer of this.#timers) clearTimeout(timer)
    this.#socket?.close(1000, 'stopping')
  }

  #receive(bytes: Uint8Array): void {
    try {
      this.#handle(decodeDown(bytes))
    } catch (error) {
      // Unknown messages of a newer server do not end the connection.
      if (!(error instanceof WireError)) throw error
    }
  }

  #handle(message: DownMessage): void {
    if (message.name === 'challenge') this.#introduce(message.body.nonce)
    else if (message.name === 'welcome') this.#begin(message.body.heartbeatMs)
    else if (message.name === 'ack') this.#unacknowledged.delete(message.sequence)
    else if (message.name === 'retry') this.#hintMs = message.body.afterMs
    // Signatures are not verified: there is no machine that an order could harm.
    else if (message.name === 'order') this.#take(messageIn(message.body))
  }

  #take(message: DownMessage): void {
    if (message.name === 'command') this.#obey(message.body)
    else if (message.name === 'request') this.#reply(message.sequence, message.body)
    else if (message.name === 'assignment') this.#follow(message.body)
    else if (message.name === 'certificate') {
      this.#roster.renew(this.#machine.index, message.body.certificate)
      void this.#roster.save()
    }
  }

  #introduce(nonce: Uint8Array): void {
    const { index, inventory } = this.#machine
    const body = {
      protocol: protocolVersion,
      certificate: this.#roster.certificate(index),
      signature: this.#roster.prove(index, nonce),
      bootId: this.#bootId,
      agentVersion: inventory.facts.agentVersion,
      role: 'agent' as const,
      capabilities: capabilitiesOf(this.#machine),
      assignmentRevision: Math.max(this.#checks.revision, this.#facts.revision),
    }
    this.#socket?.send(encodeUp({ name: 'hello', sequence: 0, body }))
  }

  #begin(heartbeatMs: number): void {
    this.#failures = 0
    for (const frame of this.#unacknowledged.values()) this.#socket?.send(frame)
    if (!this.#toldInventory) this.#send({ name: 'inventory', body: this.#machine.inventory })
    this.#toldInventory = true
    const beat = () => {
      this.#send({ name: 'heartbeat', body: this.#vitals.next(Date.now()) })
      this.#observe(this.#checks.report(Date.now()))
    }
    beat()
    // Heartbeats are spread over the interval.
    this.#later(this.#chance.share() * heartbeatMs, () => {
      clearInterval(this.#beat)
      this.#beat = setInterval(beat, heartbeatMs)
      beat()
    })
    const { behavior } = this.#machine
    if (behavior === 'gone') this.#later(goneAfterMs, () => this.stop())
    if (behavior === 'restless')
      this.#later(restless.onlineMs * (0.5 + this.#chance.share()), () => this.#socket?.terminate())
  }

  #follow(assignment: Assignment): void {
    const now = Date.now()
    this.#observe(assignment.kind === 'facts' ? this.#facts.take(assignment, now) : this.#checks.take(assignment, now))
  }

  #observe(all: readonly Observations[]): void {
    for (const body of all) this.#send({ name: 'observations', body })
  }

  #send(message: Unnumbered<UpMessage>): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    const sequence = ++this.#sequence
    const frame = encodeUp({ ...message, sequence })
    if (message.name !== 'heartbeat') this.#unacknowledged.set(sequence, frame)
    this.#socket.send(frame)
  }

  /** Made at the first request, because most machines never get one. */
  get #ownTools(): Tools {
    this.#tools ??= toolsOf(this.#machine, Date.now(), this.#checks)
    return this.#tools
  }

  #reply(sequence: number, request: Request): void {
    this.#later(this.#chance.whole(20, 120), () => {
      const body = replyTo(request, this.#ownTools, this.#machine)
      this.#socket?.send(encodeUp({ name: 'reply', sequence, body }))
    })
  }

  #obey(command: Command): void {
    const { id } = command
    if (this.#done.has(id)) return
    this.#done.add(id)
    const { durationMs, output, result, sendsInventory } = outcomeOf(
      command,
      this.#machine,
      this.#ownTools,
      this.#chance,
    )
    const said = output === '' ? {} : { output, stream: 'stdout' as const, offset: 0 }
    this.#send({ name: 'progress', body: { commandId: id, state: 'running', ...said } })
    this.#later(durationMs, () => {
      if (sendsInventory) this.#send({ name: 'inventory', body: this.#machine.inventory })
      this.#send({ name: 'result', body: { commandId: id, durationMs, ...result } })
      const absence = absenceAfter(command.type, result.result)
      if (absence !== undefined) this.#later(absence.inMs, () => this.#turnOff(absence.offMs))
    })
  }

  #turnOff(offMs: number): void {
    this.#vitals.restart(Date.now() + offMs)
    this.lose(offMs)
  }

  #closed(): void {
    clearInterval(this.#beat)
    this.#socket = undefined
    if (this.#isStopped) return
    const backoff = Math.min(backoffMs.most, backoffMs.first * 2 ** this.#failures++) * Math.random()
    const away = this.#machine.behavior === 'restless' ? restless.offlineMs * this.#chance.share() : 0
    this.#later(this.#hintMs + backoff + away + this.#offMs, () => this.connect())
    this.#hintMs = 0
    this.#offMs = 0
  }

  #later(delayMs: number, what: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      what()
    }, delayMs)
    this.#timers.add(timer)
  }
}
