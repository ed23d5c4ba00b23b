// A local HTTP server in the place of a receiver outside. It keeps what it received, and answers as the test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly atMs: number
}
export type Answer = (response: ServerResponse, request: ReceivedRequest) => void

export interface Receiver {
  readonly url: string
  readonly received: ReceivedRequest[]
  /** The answers to the next requests; the last one is repeated. */
  answers(...answers: Answer[]): void
  /** Connections that were opened. */
  connections(): number
}

export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    void response.writeHead(code, headers).end(body)

/** Answers that a bad receiver gives. */
export const misbehavior = {
  hangs: () => undefined,
  hangsUp: (response) => void response.destroy(),
  hangsAfterHeaders: (response) => void response.writeHead(500).write('so'),
  answersWithoutEnd(response) {
    response.writeHead(500)
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', pour)
    pour()
  },
} satisfies Record<string, Answer>

/** Ends with the test file. */
export async function receiver(...first: Answer[]): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  let answers: Answer[] = first.length > 0 ? first : [status(200)]
  let opened = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const kept = { path: request.url ?? '', headers: request.headers, body, atMs: Date.now() }
      received.push(kept)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      answer?.(response, kept)
    })
  })
  server.on('connection', () => {
    opened += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers: (...next) => {
      answers = next
    },
    connections: () => opened,
  }
}
