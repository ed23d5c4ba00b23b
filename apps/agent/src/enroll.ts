import type { Facts } from '@muster/wire/messages/inventory.ts'
import type { TrustedOrderKeys } from '@muster/wire/orders.ts'
import { z } from 'zod'
import { formatDuration, fullJitter, type Random, retryAfterMs } from './backoff.ts'
import type { Enrollment } from './identity.ts'
import { enrollAnswerBytesMax, enrollTimeoutMs, retryWindowFirstMs } from './limits.ts'
import type { Log } from './log.ts'
import { Trusted } from './orders/order-keys.ts'
import { pause } from './pause.ts'
import { agentFor } from './proxy.ts'

/** The server refused: retrying with the same key would not help. */
export class EnrollmentRefused extends Error {
  override readonly name = 'EnrollmentRefused'
}

export interface EnrollmentRequest {
  server: string
  key: string
  publicKey: string
  machineId: string | undefined
  facts: Facts
}

const Answer = z.object({
  deviceId: z.uuid(),
  certificate: z.string().min(1),
  ingestUrl: z.url({ protocol: /^wss?$/ }),
  orgId: z.string().optional(),
  siteId: z.string().nullish(),
  /** Servers that predate signed orders send no keys. */
  orderKeys: Trusted.optional(),
  /** Servers that predate grants of scripts send none. */
  grantKeys: Trusted.optional(),
})
const Refusal = z.object({ code: z.string().optional(), message: z.string() })

/** The result of enrollment, and the trusted keys of orders and of script grants. */
export interface Enrolled {
  enrollment: Enrollment
  orderKeys: TrustedOrderKeys | undefined
  grantKeys: TrustedOrderKeys | undefined
}

type Attempt = ({ ok: true } & Enrolled) | { ok: false; why: string; afterMs: number | undefined }

/** Enrolls, and retries while the server is unreachable or busy. Throws EnrollmentRefused when the server refuses. */
export async function enroll(
  request: EnrollmentRequest,
  log: Log,
  signal: AbortSignal,
  random: Random = Math.random,
): Promise<Enrolled> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted()
    const attempt = await attemptEnrollment(request, signal)
    if (attempt.ok) return attempt
    const delayMs = (attempt.afterMs ?? 0) + fullJitter(retryWindowFirstMs * 2 ** failures, random)
    log.warn(`cannot enroll yet: ${attempt.why}; next try in ${formatDuration(delayMs)}`, { retryMs: delayMs })
    await pause(delayMs, signal)
  }
}

async function attemptEnrollment(request: EnrollmentRequest, signal: AbortSignal): Promise<Attempt> {
  const { hostname, osType, osName, osVersion, architecture, agentVersion } = request.facts
  const body = JSON.stringify({
    enrollmentKey: request.key,
    publicKey: request.publicKey,
    machineId: request.machineId,
    ...{ hostname, osType, osName, osVersion, architecture, agentVersion },
  })
  const answer = await post(`${request.server}/api/v1/agents/enroll`, body, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    return error instanceof Error ? error.message || error.name : String(error)
  })
  if (typeof answer === 'string') return { ok: false, why: `${request.server} ${answer}`, afterMs: undefined }
  return interpretAnswer(answer, request.server)
}

function interpretAnswer(answer: Answered, server: string): Attempt {
  const { status } = answer
  if (status >= 500 || status === 429) {
    const afterMs = retryAfterMs(answer.retryAfter, Date.now())
    return { ok: false, why: `${server} answered ${status}`, afterMs }
  }
  const content = parseJson(answer.text)
  if (status === 200 || status === 201) {
    const parsed = Answer.safeParse(content)
    if (parsed.success) {
      const { orderKeys, grantKeys, ...given } = parsed.data
      return { ok: true, enrollment: { server, ...given }, orderKeys, grantKeys }
    }
    throw new EnrollmentRefused(
      `${server} sent an answer that is not an enrollment; check that --server is a Muster server`,
    )
  }
  const refusal = Refusal.safeParse(content)
  const words = refusal.success ? refusal.data.message : 'no reason given'
  const redirected = status >= 300 && status < 400 ? ` The server redirects: give its final address as --server.` : ''
  throw new EnrollmentRefused(`${server} refused the enrollment (${status}): ${words}.${redirected}`.replace('..', '.'))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Answered {
  status: number
  retryAfter: string | undefined
  text: string
}

/** Posts JSON. @throws on a timeout */
export function post(address: string, body: string, signal: AbortSignal): Promise<Answered> {
  const url = new URL(address)
  // An import statement would also load the runtime's browser-style WebSocket and fetch, 7 MB for as long as the agent runs.
  const transport = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(enrollTimeoutMs)])
  return new Promise((resolve, reject) => {
    const request = transport.request(
      url,
      { method: 'POST', headers, signal: limit, agent: agentFor(url) },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
          if (text.length > enrollAnswerBytesMax) response.destroy(new Error('the answer is too large'))
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text }),
        )
      },
    )
    request.on('error', (error) =>
      reject(limit.aborted && !signal.aborted ? new Error('did not answer in time') : error),
    )
    request.end(body)
  })
}
