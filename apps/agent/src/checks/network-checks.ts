// Checks of what the machine reaches over the network.
import { Resolver } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isPrinterPort } from '@muster/wire/checks/probes.ts'
import type { Pinged } from '../platform/platform.ts'
import type { Checkers, CheckOf, Finding } from './check.ts'
import { checkHttp } from './http-check.ts'
import { reachableTarget } from './reachable-target.ts'

const expectedBytesMax = 64 * 1_024
const dayMs = 86_400_000

/** @param ping sends echo requests to an address */
export function networkCheckers(
  ping: (address: string, count: number, waitSeconds: number) => Promise<Pinged>,
): Checkers {
  return {
    async ping({ host, count }, { pinned = false, timeoutSeconds }, signal) {
      const { address } = await reachableTarget(host, pinned, signal)
      const { received, averageMs } = await ping(address, count, timeoutSeconds)
      if (received === 0) return { state: 'failed', text: `${host} does not answer` }
      const ms = averageMs ?? 0
      if (received < count) return { state: 'degraded', text: `${host} answered ${received} of ${count} times`, ms }
      return { state: 'ok', ms }
    },

    async tcp({ host, port, expect }, { pinned = false }, signal) {
      const { address } = await reachableTarget(host, pinned, signal)
      const startedAt = performance.now()
      return failing(async () => {
        const socket = await opened(connectTcp({ host: address, port, signal }))
        const ms = performance.now() - startedAt
        try {
          if (expect === undefined) return { state: 'ok', ms }
          const answer = await answerOf(socket, expect)
          return answer ? { state: 'ok', ms } : { state: 'failed', text: `the answer does not contain ${expect}` }
        } finally {
          socket.destroy()
        }
      }, signal)
    },

    http: (check, { pinned = false }, signal) => checkHttp(check, pinned, signal),

    dns: (check, { timeoutSeconds }, signal) => failing(() => checkDns(check, timeoutSeconds, signal), signal),

    async certificate({ host, port, days }, { pinned = false }, signal) {
      if (isPrinterPort(port)) throw new Error(`Nothing is sent to port ${port}: printers print it`)
      const { address } = await reachableTarget(host, pinned, signal)
      return failing(async () => {
        // The expiry is read from any certificate, trusted or not.
        const tcp = await opened(connectTcp({ host: address, port, signal }))
        const name = isIP(host) === 0 ? { servername: host } : {}
        const socket = connectTls({ socket: tcp, rejectUnauthorized: false, ...name })
        try {
          await new Promise<void>((resolve, reject) => {
            socket.once('secureConnect', resolve).on('error', reject)
          })
          const certificateExpiresAt = Date.parse(socket.getPeerCertificate().valid_to)
          const left = Math.floor((certificateExpiresAt - Date.now()) / dayMs)
          const found = { value: left, certificateExpiresAt }
          return left < days
            ? { state: 'failed', text: `the certificate of ${host} expires in ${left} days`, ...found }
            : { state: 'ok', ...found }
        } finally {
          socket.destroy()
          tcp.destroy()
        }
      }, signal)
    },
  }
}

/** A target that refuses or does not answer has failed; only what the machine itself cannot do is unknown. */
async function failing(round: () => Promise<Finding>, signal: AbortSignal): Promise<Finding> {
  try {
    return await round()
  } catch (error) {
    if (signal.aborted) throw error
    return { state: 'failed', text: error instanceof Error ? error.message : String(error) }
  }
}

const opened = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // The listener stays: an error after the connection must not end the agent.
    socket.once('connect', () => resolve(socket)).on('error', reject)
  })

/** Whether the first bytes that arrive contain the text. Nothing is sent. */
async function answerOf(socket: Socket, expected: string): Promise<boolean> {
  let answer = ''
  for await (const piece of socket) {
    answer += Buffer.from(piece).toString('utf8')
    if (answer.includes(expected)) return true
    if (answer.length > expectedBytesMax) return false
  }
  return false
}

async function checkDns(
  { name, recordType, server, expect = [] }: CheckOf<'dns'>,
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<Finding> {
  const resolver = new Resolver({ timeout: timeoutSeconds * 1_000, tries: 1 })
  if (server !== undefined) resolver.setServers([server])
  signal.addEventListener('abort', () => resolver.cancel(), { once: true })
  const startedAt = performance.now()
  const answers = await resolver.resolve(name, recordType)
  const ms = performance.now() - startedAt
  const texts = (Array.isArray(answers) ? answers : [answers]).map(textOf)
  const missing = expect.find((each) => !texts.some((text) => text.toLowerCase().includes(each.toLowerCase())))
  return missing === undefined
    ? { state: 'ok', ms }
    : { state: 'failed', text: `the answer has no ${missing}: ${texts.join(', ').slice(0, 300)}`, ms }
}

/** A record as text: an address, or the values of its fields. */
function textOf(record: unknown): string {
  if (typeof record === 'string') return record
  if (Array.isArray(record)) return record.join('')
  return record !== null && typeof record === 'object' ? Object.values(record).join(' ') : String(record)
}
