import { OutgoingConnections, type OutgoingRequest } from '@muster/kit/network/outgoing.ts'
import type { SendResult } from '../../background/delivery-kind.ts'
import { workerPart } from '../../background/worker-parts.ts'
import { service } from '../../services.ts'

/** The connections of a worker to endpoints. */
export const workerConnections = workerPart(
  ({ settings }) => new OutgoingConnections(settings.outgoing.allowedNetworks),
)
/** The connections of a process that serves requests, for tests that users start. */
export const connectionsOf = service(({ settings }) => new OutgoingConnections(settings.outgoing.allowedNetworks))

/** Statuses with which an endpoint can ask to wait. */
const busy = [429, 502, 503, 504]

interface Post extends Pick<OutgoingRequest, 'headers' | 'timeoutMs'> {
  readonly body: string
  /** Answers after which another try would fail too. */
  readonly isFinal?: (status: number) => boolean
}

/** Posts JSON. Any answer but 2xx is a failure, redirects included. */
export async function postJson(
  connections: OutgoingConnections,
  endpoint: string,
  url: string,
  { body, headers, timeoutMs, isFinal = () => false }: Post,
): Promise<SendResult> {
  try {
    const answer = await connections.request(endpoint, url, {
      method: 'POST',
      headers: { 'user-agent': 'Muster', ...headers, 'content-type': 'application/json' },
      body,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      bytesMax: 1_000,
    })
    const { status } = answer
    const said = { status, body: answer.body.toString('utf8') }
    if (status >= 200 && status < 300) return { delivered: true, ...said }
    return {
      ...said,
      delivered: false,
      error: `The endpoint answered ${status}`,
      isFinal: isFinal(status),
      retryAfterMs: busy.includes(status) ? retryAfterMs(answer.headers['retry-after']) : null,
    }
  } catch (error) {
    return { delivered: false, error: reasonOf(error) }
  }
}

/** From seconds or a date. */
export function retryAfterMs(header: string | string[] | undefined, nowMs = Date.now()): number | null {
  const [text] = [header ?? []].flat()
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) && ms > 0 ? ms : null
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'The endpoint did not answer in time'
  return error.message === '' ? error.name : error.message
}
