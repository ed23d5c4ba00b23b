import type { IncomingMessage } from 'node:http'
import { redirectsMax } from '../limits.ts'
import { agentFor } from '../proxy.ts'
import { UpdateRefused } from './update-refused.ts'

/** Starts a GET and follows redirects, never from HTTPS to HTTP. The caller reads or destroys the response. */
export async function get(
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let url = new URL(address)
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const answer = await getOnce(url, headers, signal)
    const { location } = answer.headers
    const status = answer.statusCode ?? 0
    if (status < 300 || status >= 400 || status === 304 || location === undefined) return answer
    answer.destroy()
    const next = new URL(location, url)
    if (!/^https?:$/.test(next.protocol) || (url.protocol === 'https:' && next.protocol !== 'https:'))
      throw new UpdateRefused(
        'download_failed',
        `${url.host} redirects to ${next.protocol}//${next.host}, which is not encrypted`,
      )
    url = next
  }
  throw new UpdateRefused('download_failed', `${address} redirects more than ${redirectsMax} times`)
}

function getOnce(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
  // An import statement would also load the runtime's browser-style WebSocket and fetch.
  const transport = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve, reject) => {
    const request = transport.get(
      url,
      // Compressed content would have to be decompressed to check its length.
      {
        headers: { 'accept-encoding': 'identity', 'user-agent': 'muster-agent', ...headers },
        signal,
        agent: agentFor(url) ?? false,
      },
      (answer) => {
        const { 'content-encoding': encoding = 'identity' } = answer.headers
        if (encoding === 'identity') return resolve(answer)
        answer.destroy()
        reject(
          new UpdateRefused(
            'download_failed',
            `${url.host} sends compressed content (${encoding}), which is not supported`,
          ),
        )
      },
    )
    request.on('error', reject)
  })
}
