// Signs messages as Standard Webhooks describes: https://www.standardwebhooks.com
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

export const newSigningSecret = (): string => prefix + randomBytes(32).toString('base64')

const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret, 'utf8')

/** The headers of a message, with one signature for each secret. */
export function signedHeaders(
  { id, atMs, body }: { readonly id: string; readonly atMs: number; readonly body: string },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000))
  const signature = (secret: string) =>
    `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(secrets.length === 0 ? {} : { 'webhook-signature': secrets.map(signature).join(' ') }),
  }
}
