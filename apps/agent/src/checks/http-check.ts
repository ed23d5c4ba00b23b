import { type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { TLSSocket } from 'node:tls'
import { isPrinterPort } from '@muster/wire/checks/probes.ts'
import type { CheckOf, Finding } from './check.ts'
import { reachableTarget } from './reachable-target.ts'

const bodyBytesMax = 1_024 * 1_024

interface Answer {
  readonly status: number
  readonly ms: number
  /** The first mebibyte, if the check reads it. It stays on this machine. */
  readonly body: string
  readonly certificateExpiresAt: number | undefined
}

/** One request. Redirects are not followed: they are statuses like others. */
export async function checkHttp(check: CheckOf<'http'>, isPinned: boolean, signal: AbortSignal): Promise<Finding> {
  const url = new URL(check.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`${url.protocol} is not supported`)
  if (isPrinterPort(Number(url.port))) throw new Error(`Nothing is sent to port ${url.port}: printers print it`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const { address } = await reachableTarget(host, isPinned, signal)
  let answer: Answer
  try {
    answer = await ask(check, url, host, address, signal)
  } catch (error) {
    if (signal.aborted) throw error
    return { state: 'failed', text: error instanceof Error ? error.message : String(error) }
  }
  const { status, ms, body, certificateExpiresAt } = answer
  const found = { ms, ...(certificateExpiresAt !== undefined && { certificateExpiresAt }) }
  const { expectStatus, expectBody } = check
  const isExpected = expectStatus === undefined ? status >= 200 && status < 300 : expectStatus.includes(status)
  if (!isExpected) return { state: 'failed', text: `answered ${status}`, value: status, ...found }
  if (expectBody !== undefined && !body.includes(expectBody))
    return { state: 'failed', text: 'the body does not contain the expected text', value: status, ...found }
  return { state: 'ok', value: status, ...found }
}

function ask(check: CheckOf<'http'>, url: URL, host: string, address: string, signal: AbortSignal): Promise<Answer> {
  const { method, headers = {}, body, verifyTls, expectBody } = check
  const isTls = url.protocol === 'https:'
  const options: RequestOptions & { servername?: string; rejectUnauthorized?: boolean } = {
    host: address,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method,
    headers: { 'user-agent': 'Muster monitor', accept: '*/*', ...headers, host: url.host },
    agent: false,
    signal,
    ...(isTls && { rejectUnauthorized: verifyTls, ...(isIP(host) === 0 && { servername: host }) }),
  }
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(options, (response) => {
      const ms = performance.now() - startedAt
      const { socket } = response
      const validTo = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : Number.NaN
      const certificateExpiresAt = Number.isNaN(validTo) ? undefined : validTo
      const done = (text: string) => {
        resolve({ status: response.statusCode ?? 0, ms, body: text, certificateExpiresAt })
        request.destroy()
      }
      if (expectBody === undefined) {
        done('')
        return
      }
      const pieces: Buffer[] = []
      let length = 0
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        length += piece.length
        if (length >= bodyBytesMax) done(Buffer.concat(pieces).toString('utf8'))
      })
      response.on('end', () => done(Buffer.concat(pieces).toString('utf8')))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}
