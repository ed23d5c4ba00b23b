// Case B3 through the proxy of deploy/: no request is smuggled past it, and valid requests get through.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@muster/stack/ports.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { startServer } from './auth/servers.ts'
import { ambiguousLengths } from './smuggling.ts'

const hasNginx = (() => {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const written = readFileSync(new URL('../../deploy/proxy/nginx.conf', import.meta.url), 'utf8')

/** The configuration with other ports, upstreams and file paths. */
function configuration(folder: string, [port, plainPort]: number[], admin: string, ingest: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${folder}/${what};`,
  )
  return written
    .replace(/listen 443.*;/, `listen 127.0.0.1:${port};`)
    .replace(/listen 80;/, `listen 127.0.0.1:${plainPort};`)
    .replaceAll(/^ +ssl_.*$/gm, '')
    .replace('server admin:3000', `server ${admin}`)
    .replace('server ingest:3001', `server ${ingest}`)
    .replace(/^pid .*$/m, `pid ${folder}/pid;\ndaemon off;`)
    .replace('/dev/stderr', `${folder}/error.log`)
    .replace('worker_processes auto', 'worker_processes 1')
    .replace(/worker_rlimit_nofile .*\n/, '')
    .replace(/worker_connections .*;/, 'worker_connections 256;')
    .replace('http {', `http {\n  ${places.join('\n  ')}`)
}

describe.skipIf(!hasNginx)('B3: behind the proxy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-proxy-'))
  chmodSync(folder, 0o755)
  const agents = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  let stop = async () => {}
  let port = 0
  let credential = ''
  let adminId = ''
  beforeAll(async () => {
    const server = await startServer()
    const here = await world()
    credential = `Authorization: Bearer ${here.systemAdmin.token}`
    adminId = here.systemAdmin.userId
    agents.on('connection', (socket) => socket.on('message', (bytes) => socket.send(bytes)))
    const ports = await freePorts(2)
    port = ports[0] ?? 0
    const ingest = `127.0.0.1:${(agents.address() as AddressInfo).port}`
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, configuration(folder, ports, new URL(server.url).host, ingest))
    const nginx = spawn('nginx', ['-c', file, '-p', folder, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] })
    stop = async () => {
      const exit = once(nginx, 'exit')
      nginx.kill('SIGTERM')
      await exit
    }
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/health`).catch(() => undefined)
      if (answer?.status === 200) return
      if (nginx.exitCode !== null) throw new Error('nginx exited')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  afterAll(async () => {
    await stop()
    agents.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const send = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let said = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      socket.setTimeout(20_000, () => socket.destroy(new Error(`no answer to ${text.slice(0, 200)}`)))
      socket.on('data', (bytes) => {
        said += bytes
      })
      socket.on('close', () => resolve(said))
      socket.on('error', (error) => ('code' in error && error.code === 'ECONNRESET' ? resolve(said) : reject(error)))
    })
  const statuses = (said: string) => [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
  const second = () => lines('DELETE /api/v1/orgs/partners/me HTTP/1.1', 'Host: 127.0.0.1', credential)
  const recorded = async () => {
    const statement = 'SELECT count(*)::int AS count FROM audit_logs WHERE actor_id = $1'
    return (await (await testServices()).system.query<{ count: number }>(statement, [adminId])).rows[0]?.count
  }

  it.each(Object.entries(ambiguousLengths))('no request is smuggled with %s', async (_what, headers) => {
    const before = await recorded()
    const head = lines(
      'POST /api/v1/auth/login HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      ...headers,
    )
    const found = statuses(await send(`${head}0\r\n\r\n${second()}`))
    // One rejection, and the connection is closed: a second answer would belong to the second request.
    expect(found).toHaveLength(1)
    expect([400, 501]).toContain(found[0])
    expect(await recorded()).toBe(before)
  })

  it('a request inside a body stays there, and pipelined requests are answered one by one', async () => {
    const body = second()
    const first = lines(
      'POST /api/v1/auth/login HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    )
    const last = lines('GET /api/v1/orgs/partners HTTP/1.1', 'Host: 127.0.0.1', credential, 'Connection: close')
    expect(statuses(await send(`${first}${body}${last}`))).toEqual([400, 200])
  })

  it('every path has only one spelling', async () => {
    for (const path of [
      '/api/v1//orgs/partners',
      '/api/v1/./orgs/partners',
      '/api/v1/x/../orgs/partners',
      '/api/v1/orgs%2Fpartners',
      '/%61pi/v1/orgs/partners',
      '/api/v1/orgs/partners/',
    ]) {
      const said = await send(lines(`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', credential, 'Connection: close'))
      expect([400, 404], path).toContain(statuses(said)[0])
    }
  })

  it('agents get a socket, and other clients do not', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/agent`)
    await once(socket, 'open')
    socket.send('roll call')
    expect(String((await once(socket, 'message'))[0])).toBe('roll call')
    socket.terminate()
    const upgrade = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ]
    const said = await send(lines('GET /api/v1/health HTTP/1.1', 'Host: 127.0.0.1', ...upgrade, 'Connection: close'))
    expect(statuses(said)).not.toContain(101)
  })
})
