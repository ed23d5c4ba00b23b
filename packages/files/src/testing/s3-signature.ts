// Verifies AWS Signature version 4. Written independently of the library that signs requests.
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface S3Credentials {
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1)

/** Whether the request is signed with these credentials, for a body with this hash. */
export function isSigned(request: IncomingMessage, bodyHash: string, credentials: S3Credentials): boolean {
  const { region, accessKey, secretKey } = credentials
  const given = String(request.headers.authorization)
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1] ?? ''
  const moment = String(request.headers['x-amz-date'])
  const url = new URL(request.url ?? '', 'http://storage')
  const query = [...url.searchParams].sort(byName)
  const canonical = [
    request.method,
    url.pathname,
    query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
    ...names.split(';').map((name) => `${name}:${request.headers[name]}`),
    '',
    names,
    bodyHash,
  ].join('\n')
  const scope = `${moment.slice(0, 8)}/${region}/s3/aws4_request`
  const key = scope.split('/').reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretKey}`)
  const text = ['AWS4-HMAC-SHA256', moment, scope, sha256(canonical)].join('\n')
  const signature = hmac(key, text).toString('hex')
  return (
    names.split(';').includes('x-amz-content-sha256') &&
    given === `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  )
}
