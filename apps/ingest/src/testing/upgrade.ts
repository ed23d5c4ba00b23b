import { request } from 'node:http'

const headers = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol': 'muster.v1',
}

/** Sends an upgrade request as an agent does, with some headers changed; closes the socket if one is granted. */
export function requestUpgrade(
  port: number,
  changes: Record<string, string> = {},
  localAddress = '127.0.0.1',
): Promise<{ status: number; retryAfter: number }> {
  return new Promise((resolve, reject) => {
    const asked = request({
      port,
      host: '127.0.0.1',
      localAddress,
      path: '/agent',
      headers: { ...headers, ...changes },
    })
    asked.on('error', reject)
    asked.on('response', (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, retryAfter: Number(response.headers['retry-after'] ?? 0) })
    })
    asked.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve({ status: 101, retryAfter: 0 })
    })
    asked.end()
  })
}
