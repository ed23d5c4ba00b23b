// HTTP proxies, configured by the environment as for curl: https_proxy, http_proxy, all_proxy and no_proxy, lower case before
// upper case; else by the system, where it has such settings. Everything uses CONNECT, sockets as well as downloads.
import type { Agent } from 'node:http'
import { BlockList, connect, isIP, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { environment as inherited } from './config.ts'
import { proxyTimeoutMs } from './limits.ts'

type Environment = typeof inherited

const isSecure = ({ protocol }: URL) => protocol === 'https:' || protocol === 'wss:'
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '').toLowerCase()
const portOf = (url: URL) => Number(url.port) || (isSecure(url) ? 443 : 80)

function setting(environment: Environment, name: string): string | undefined {
  return environment[name] || environment[name.toUpperCase()] || undefined
}

/** Finds the proxies of the system for an address, best first. */
export type FindProxies = (target: URL) => Promise<string[]>

let ofSystem: FindProxies | undefined

/** Asks the system about addresses for which the environment says nothing. */
export function useSystemProxies(find: FindProxies | undefined): void {
  ofSystem = find
}

/** The proxy for an address, if any. @throws Error when its address is not that of an HTTP proxy */
export function proxyFor(target: URL, environment: Environment = inherited): URL | undefined {
  const given =
    setting(environment, isSecure(target) ? 'https_proxy' : 'http_proxy') ?? setting(environment, 'all_proxy')
  return given === undefined || isExempt(target, environment) ? undefined : proxyAt(given)
}

function proxyAt(given: string): URL {
  const text = given.includes('://') ? given : `http://${given}`
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  // Its user name and password must not be logged.
  if (proxy === undefined || !/^https?:$/.test(proxy.protocol))
    throw new Error('the proxy setting is not the address of an HTTP proxy')
  return proxy
}

/** Whether no_proxy matches the target: `*`, a name and its subdomains, an address or a network, with or without a port. */
function isExempt(target: URL, environment: Environment): boolean {
  const host = hostOf(target)
  return (setting(environment, 'no_proxy') ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, name = '', port] =
        /^(?:\*?\.)?\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
      if (port !== undefined && Number(port) !== portOf(target)) return false
      return host === name || host.endsWith(`.${name}`) || isInNetwork(host, name)
    })
}

function isInNetwork(host: string, network: string): boolean {
  const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(network) ?? []
  const family = isIP(address)
  if (family === 0 || family !== isIP(host) || Number(bits) > (family === 4 ? 32 : 128)) return false
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  const networks = new BlockList()
  networks.addSubnet(address, Number(bits), kind)
  return networks.check(host, kind)
}

/** The HTTP agent for requests and WebSockets to an address; undefined for direct connections. */
export function agentFor(address: string | URL, environment: Environment = inherited): Agent | undefined {
  const target = new URL(address)
  const proxy = proxyFor(target, environment)
  const find = ofSystem
  if (proxy !== undefined) return agentOver(target, async () => [proxy])
  if (find === undefined || isExempt(target, environment)) return undefined
  // Without an answer of the system, the connection is direct.
  return agentOver(target, async () => (await find(target).catch(() => [])).map(proxyAt))
}

/** An agent whose connections go through the first proxy that works, or directly when there is none. */
function agentOver(target: URL, find: () => Promise<URL[]>): Agent {
  // An import statement would also load the runtime's browser-style WebSocket and fetch.
  const agent: Agent = isSecure(target)
    ? new (process.getBuiltinModule('node:https').Agent)()
    : new (process.getBuiltinModule('node:http').Agent)()
  const direct = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    const open = async () => {
      const socket = await throughFirst(await find(), target)
      if (socket === undefined) return direct(options)
      return isSecure(target) ? withTls(socket, target) : socket
    }
    open().then(
      (socket) => done?.(null, socket ?? new Socket()),
      (error: Error) => done?.(error, new Socket()),
    )
    return undefined
  }
  return agent
}

/** @throws the error of the last proxy when none works */
async function throughFirst([first, ...others]: readonly URL[], target: URL): Promise<Socket | undefined> {
  if (first === undefined) return undefined
  if (others.length === 0) return tunnel(first, target)
  return tunnel(first, target).catch(() => throughFirst(others, target))
}

function withTls(socket: Socket, target: URL): Socket {
  const host = hostOf(target)
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
}

/** A connection to the target through the proxy. @throws Error with the proxy's answer */
function tunnel(proxy: URL, target: URL): Promise<Socket> {
  const [host, port] = [hostOf(proxy), Number(proxy.port) || (isSecure(proxy) ? 443 : 80)]
  const socket = isSecure(proxy) ? connectTls({ host, port }) : connect({ host, port })
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    const fail = (why: string) => {
      socket.destroy()
      reject(new Error(`the proxy ${proxy.host} ${why}`))
    }
    const onError = (error: Error) => fail(`cannot be reached: ${error.message}`)
    const onEnd = () => fail('closed the connection')
    const onData = (piece: Buffer) => {
      head = Buffer.concat([head, piece])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return void (head.length > 16_384 && fail('did not answer with HTTP'))
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, end))?.[1]
      if (status === undefined || !status.startsWith('2')) return fail(`answered ${status ?? 'without HTTP'}`)
      socket.setTimeout(0)
      socket.off('error', onError).off('end', onEnd).off('data', onData).off('timeout', onTimeout)
      // The agent always sends first, so no data can arrive before the new owner of the socket listens.
      resolve(socket)
    }
    const onTimeout = () => fail('did not answer in time')
    socket.setTimeout(proxyTimeoutMs).on('timeout', onTimeout)
    socket.on('error', onError).on('end', onEnd).on('data', onData)
    socket.write(request(proxy, target))
  })
}

function request({ username, password }: URL, target: URL): string {
  const place = `${target.hostname}:${portOf(target)}`
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const authorization = username === '' ? '' : `Proxy-Authorization: Basic ${credentials}\r\n`
  return `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${authorization}\r\n`
}
