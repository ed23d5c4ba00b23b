import { z } from 'zod'

/* The messages between the benchmark and its client processes. */

const Target = z.object({ host: z.string(), port: z.int(), path: z.string() })

export const AgentsPlan = z.object({
  target: Target,
  /** The folder of keys and certificates. */
  folder: z.string(),
  first: z.int(),
  agents: z.int(),
  sequencesMax: z.int(),
  bootId: z.int(),
  /** Source addresses: each has its own local ports. */
  sources: z.array(z.string()).min(1),
  connectsPerSecond: z.number(),
  connectingMax: z.int(),
  /** Live as soon as the socket is open: for servers without agent identities. */
  isBare: z.boolean(),
  /** Whether commands are answered with a result at once. */
  answersCommands: z.boolean(),
  /** How long a command takes before it is answered. */
  commandMs: z.number(),
})
export type AgentsPlan = z.infer<typeof AgentsPlan>

export const Request = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('plan'), plan: AgentsPlan }),
  z.object({ ask: z.literal('open'), agents: z.int() }),
  z.object({ ask: z.literal('standing') }),
  z.object({ ask: z.literal('pace'), rate: z.number(), seconds: z.number() }),
  z.object({ ask: z.literal('latency') }),
  z.object({ ask: z.literal('receipts') }),
  z.object({ ask: z.literal('save'), path: z.string() }),
  z.object({ ask: z.literal('closeBooks') }),
  z.object({ ask: z.literal('stop') }),
])
export type Request = z.infer<typeof Request>

export const Standing = z.object({
  live: z.int(),
  connecting: z.int(),
  /** Welcomes since the start, reconnects included. */
  welcomes: z.int(),
  sent: z.int(),
  acknowledged: z.int(),
  surplusAcks: z.int(),
  /** Closes by code; `refused` before the upgrade. */
  closes: z.record(z.string(), z.int()),
})
export type Standing = z.infer<typeof Standing>

const Parts = z.object({
  encoded: z.string(),
  largest: z.number(),
  sum: z.number(),
})

/** A command that an agent received, with the time of the machine's monotonic clock. */
export const Receipt = z.object({ id: z.string(), atMicros: z.number() })
export type Receipt = z.infer<typeof Receipt>

export const Paced = z.object({ offered: z.int(), sent: z.int(), skipped: z.int(), lateness: Parts })
export const Latency = z.object({ latency: Parts })
export const Receipts = z.object({ receipts: z.array(Receipt) })

export const Answer = z.object({ number: z.int(), answer: z.unknown(), error: z.string().optional() })
