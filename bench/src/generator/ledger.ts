import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

/*
 * Which frames each agent of one process sent and which of them were acknowledged. The sequences of an agent count from
 * 1, so one byte per agent and sequence is enough to compare them with what was stored, frame by frame.
 */

export const mark = { sent: 1, acknowledged: 2, stored: 4 } as const

const Header = z.object({ first: z.int(), agents: z.int(), sequencesMax: z.int(), bootId: z.int() })

export class Ledger {
  /** Index of the first agent of this ledger in the whole fleet. */
  readonly first: number
  readonly agents: number
  readonly sequencesMax: number
  readonly bootId: number
  readonly #marks: Uint8Array
  /** The due time of a frame, in microseconds since the ledger was created; one field per mark. */
  readonly #dueAt: Uint32Array
  readonly #next: Uint32Array
  sent = 0
  acknowledged = 0
  /** Acknowledged a second time, or never sent. */
  surplusAcks = 0

  constructor(first: number, agents: number, sequencesMax: number, bootId: number) {
    this.first = first
    this.agents = agents
    this.sequencesMax = sequencesMax
    this.bootId = bootId
    this.#marks = new Uint8Array(agents * sequencesMax)
    this.#dueAt = new Uint32Array(agents * sequencesMax)
    this.#next = new Uint32Array(agents).fill(1)
  }

  /** The next sequence of an agent, recorded as sent; 0 when the ledger is full. */
  send(agent: number, dueMicros: number): number {
    const sequence = this.#next[agent] ?? 0
    if (sequence === 0 || sequence > this.sequencesMax) return 0
    this.#next[agent] = sequence + 1
    const place = agent * this.sequencesMax + sequence - 1
    this.#marks[place] = mark.sent
    this.#dueAt[place] = dueMicros
    this.sent++
    return sequence
  }

  /** The due time of the acknowledged frame, -1 for an unexpected acknowledgment. */
  acknowledge(agent: number, sequence: number): number {
    const place = agent * this.sequencesMax + sequence - 1
    const marks = sequence >= 1 && sequence <= this.sequencesMax ? (this.#marks[place] ?? 0) : 0
    if (marks !== mark.sent) {
      this.surplusAcks++
      return -1
    }
    this.#marks[place] = mark.sent | mark.acknowledged
    this.acknowledged++
    return this.#dueAt[place] ?? 0
  }

  /** Sequences of an agent that were sent and not acknowledged, oldest first. */
  unacknowledged(agent: number): number[] {
    const open: number[] = []
    const start = agent * this.sequencesMax
    const end = start + (this.#next[agent] ?? 1) - 1
    for (let place = start; place < end; place++) if (this.#marks[place] === mark.sent) open.push(place - start + 1)
    return open
  }

  /** Forgets acknowledged frames: they have been compared with what is stored. */
  closeBooks(): void {
    const marks = this.#marks
    for (let place = 0; place < marks.length; place++) if ((marks[place] ?? 0) > mark.sent) marks[place] = 0
  }

  /** Writes everything except the times. */
  save(path: string): void {
    const { first, agents, sequencesMax, bootId } = this
    const header = Buffer.from(`${JSON.stringify({ first, agents, sequencesMax, bootId })}\n`)
    writeFileSync(path, Buffer.concat([header, this.#marks]))
  }
}

/** A saved ledger, to which stored rows are added. */
export interface LedgerPage {
  readonly first: number
  readonly agents: number
  readonly sequencesMax: number
  readonly bootId: number
  readonly marks: Uint8Array
}

export function readLedger(path: string): LedgerPage {
  const bytes = readFileSync(path)
  const end = bytes.indexOf(0x0a)
  const header = Header.parse(JSON.parse(bytes.toString('utf8', 0, end)))
  return { ...header, marks: bytes.subarray(end + 1) }
}
