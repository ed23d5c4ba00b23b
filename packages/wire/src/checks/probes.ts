// Checks of something that the machine reaches over the network.
import { z } from 'zod'
import { text } from '../scalars.ts'

const host = text(253).min(1)
const port = z.int().min(1).max(65_535)

export const PingCheck = z.object({ type: z.literal('ping'), host, count: z.int().min(1).max(10) })
export const TcpCheck = z.object({
  type: z.literal('tcp'),
  host,
  port,
  /** Text that the first bytes of the answer must contain. */
  expect: text(1_000).optional(),
})
export const HttpCheck = z.object({
  type: z.literal('http'),
  url: text(2_048).min(1),
  method: text(16).min(1),
  headers: z.record(z.string().max(255), text(4_096)).optional(),
  body: text(16_384).optional(),
  /** Accepted statuses; 200 to 299 without them. */
  expectStatus: z.array(z.int().min(100).max(599)).max(50).optional(),
  expectBody: text(1_000).optional(),
  verifyTls: z.boolean(),
})
export const DnsCheck = z.object({
  type: z.literal('dns'),
  name: host,
  recordType: z.enum(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT']),
  /** The address of a name server, with a port if it is not 53. */
  server: text(64).optional(),
  /** Each must be among the answers. */
  expect: z.array(text(1_000)).max(50).optional(),
})

/** Printers print what they receive at these ports. */
export const isPrinterPort = (port: number): boolean =>
  port === 515 || port === 9_999 || (port >= 9_100 && port <= 9_116)
