import uws from 'uWebSockets.js'
import { type KnownHosts, misdirected } from '@muster/kit/network/known-hosts.ts'
import { frameBytesMax } from '@muster/wire/limits.ts'
import { subprotocol } from '@muster/wire/version.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'

/*
 * The only file that uses the socket library. Its objects are valid until their close handler has run, its buffers
 * until a handler returns. Both rules are kept here and in connection.ts.
 */

/**
 * What the library stores with a socket. It copies every property into its own object, and many properties would make
 * that a slow and large dictionary: so there is one.
 */
interface Kept {
  connection: Connection
}

/** The handlers of socket events. */
export interface SocketHandlers {
  /** Decides about an upgrade; a number is the seconds after which the agent should retry. */
  admit(
    nowMs: number,
    peer: string,
    forwarded: string,
  ): { connection: () => Connection } | { retryAfterSeconds: number }
  open(socket: uws.WebSocket<unknown>, connection: Connection): void
  message(connection: Connection, frame: Uint8Array, isBinary: boolean): void
  /** Called when a slow reader has drained some of its backlog. */
  drain(connection: Connection): void
  close(connection: Connection, code: number): void
  /** Called for a request that is not an agent's upgrade. */
  refused(reason: string): void
}

export interface ServerOptions {
  host: string
  port: number
  path: string
  limits: Limits
  /** The host names that this process answers to. */
  knownHosts: KnownHosts
}

/** The listening socket server of this process. */
export interface SocketServer {
  readonly port: number
  /** Accepts no new sockets; open ones stay. */
  stopListening(): void
  /** Closes everything immediately. */
  close(): void
}

/** Listens for agents. Several processes can share one port. */
export async function serveSockets(options: ServerOptions, handlers: SocketHandlers): Promise<SocketServer> {
  const { path, host, port, limits, knownHosts } = options
  hideVersion()
  const app = uws.App()
  app.ws<Kept>(path, {
    // Slightly above the largest frame, so that a frame just above gets our close code.
    maxPayloadLength: frameBytesMax + 64 * 1024,
    maxBackpressure: limits.socketBufferBytesMax,
    closeOnBackpressureLimit: true,
    // The sweep detects silent sockets by missing frames. Pings would cost traffic on every idle socket.
    idleTimeout: 0,
    sendPingsAutomatically: false,
    compression: uws.DISABLED,
    upgrade: (res, req, context) => {
      if (isForUs(res, req, knownHosts, handlers)) upgrade(res, req, context, handlers)
    },
    open: (socket) => handlers.open(socket, socket.getUserData().connection),
    message: (socket, message, isBinary) =>
      handlers.message(socket.getUserData().connection, new Uint8Array(message), isBinary),
    drain: (socket) => handlers.drain(socket.getUserData().connection),
    close: (socket, code) => handlers.close(socket.getUserData().connection, code),
  })
  app.any('/*', (res, req) => {
    if (!isForUs(res, req, knownHosts, handlers)) return
    handlers.refused('not-found')
    res.writeStatus('404 Not Found').end()
  })
  const first = await listen(app, host, port)
  const listening = [first]
  // The library cannot share a port that the kernel chose.
  while (port !== 0 && listening.length < limits.listenersPerProcess) listening.push(await listen(app, host, port))
  return {
    port: uws.us_socket_local_port(first),
    stopListening() {
      for (const each of listening.splice(0)) uws.us_listen_socket_close(each)
    },
    close() {
      listening.length = 0
      app.close()
    },
  }
}

function listen(app: uws.TemplatedApp, host: string, port: number): Promise<uws.us_listen_socket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(socket)
      else reject(new Error(`Cannot listen on ${host}:${port}; is another program using this port?`))
    })
  })
}

/** Refuses a request for another host name. The library already rejects two Host headers and absolute targets. */
function isForUs(
  res: uws.HttpResponse,
  req: uws.HttpRequest,
  knownHosts: KnownHosts,
  handlers: SocketHandlers,
): boolean {
  if (knownHosts.knows({ hosts: [req.getHeader('host')], target: req.getUrl() })) return true
  handlers.refused('host')
  const body = JSON.stringify(misdirected().body())
  res.writeStatus('421 Misdirected Request').writeHeader('Content-Type', 'application/json').end(body, true)
  return false
}

/** Removes the version header from the library's responses. The switch is missing in its types. */
function hideVersion(): void {
  const configure: unknown = Reflect.get(uws, '_cfg')
  if (typeof configure === 'function') configure('999999990007')
}

function upgrade(
  res: uws.HttpResponse,
  req: uws.HttpRequest,
  context: uws.us_socket_context_t,
  handlers: SocketHandlers,
): void {
  const refuse = (status: string, reason: string) => {
    handlers.refused(reason)
    res.writeStatus(status)
  }
  // Browsers send an Origin header; agents do not.
  if (req.getHeader('origin') !== '') {
    refuse('403 Forbidden', 'origin')
    res.end('This address accepts agents only, not browsers')
    return
  }
  const offered = req.getHeader('sec-websocket-protocol').split(/\s*,\s*/)
  if (!offered.includes(subprotocol)) {
    refuse('400 Bad Request', 'subprotocol')
    res.end(`The subprotocol must be ${subprotocol}`)
    return
  }
  const peer = Buffer.from(res.getRemoteAddressAsText()).toString()
  const admission = handlers.admit(Date.now(), peer, req.getHeader('x-forwarded-for'))
  if ('retryAfterSeconds' in admission) {
    refuse('503 Service Unavailable', 'admission')
    res.writeHeader('Retry-After', String(admission.retryAfterSeconds)).end('', true)
    return
  }
  const key = req.getHeader('sec-websocket-key')
  const extensions = req.getHeader('sec-websocket-extensions')
  const kept: Kept = { connection: admission.connection() }
  res.upgrade(kept, key, subprotocol, extensions, context)
}
