import { Agent, request } from 'node:http'
import { z } from 'zod'

const answerMs = 30_000
const connectionsMax = 32

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** From the request to the complete response. */
  readonly ms: number
}

/** The REST API over persistent connections, as a console or a script would use it. */
export class ApiClient {
  readonly #base: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connectionsMax })
  #token: string | undefined

  constructor(adminUrl: string) {
    this.#base = new URL('/api/v1/', adminUrl)
  }

  /** Signs in; later requests are made as that user. */
  async signIn(email: string, password: string): Promise<Answer> {
    const answer = await this.send('POST', 'auth/login', { email, password })
    const signedIn = z.looseObject({ accessToken: z.string() }).safeParse(answer.body)
    if (signedIn.success) this.#token = signedIn.data.accessToken
    return answer
  }

  send(method: string, path: string, body?: object): Promise<Answer> {
    const began = performance.now()
    const sent = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      ...(sent !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    }
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, this.#base), { method, headers, agent: this.#agent, timeout: answerMs })
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path} was not answered in time`)))
      asked.on('error', reject)
      asked.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const parsed: unknown = text === '' ? null : JSON.parse(text)
          resolve({ status: response.statusCode ?? 0, body: parsed, ms: performance.now() - began })
        })
      })
      asked.end(sent)
    })
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
  }
}
