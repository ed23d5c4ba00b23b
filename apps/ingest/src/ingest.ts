import type { Log } from '@muster/kit/log.ts'
import type { HealthChecks } from '@muster/kit/metrics.ts'
import { KnownHosts } from '@muster/kit/network/known-hosts.ts'
import { readDeviceKeyring } from '@muster/kit/secrets/keyring.ts'
import type { Service } from '@muster/kit/service.ts'
import { agentPath } from '@muster/wire/version.ts'
import type { Registry as MetricsRegistry } from 'prom-client'
import { Admission } from './admission.ts'
import { createRates } from './allowance.ts'
import { announce } from './announce.ts'
import { Backlog } from './backlog.ts'
import { Batches } from './batches.ts'
import { Certificates } from './certificate.ts'
import { lockOut } from './clones.ts'
import { closeOnRequest, onClosed } from './closing.ts'
import { CommandStops } from './command-stops.ts'
import { Compaction, engineCollector } from './compaction.ts'
import type { IngestConfig } from './config.ts'
import { countBy, createCounters } from './counters.ts'
import { closeAll } from './drain.ts'
import { acknowledge, backlogShrank, broadcastOrderKeys, open, prepare, receive, send } from './gateway.ts'
import type { Gateway } from './gateway-parts.ts'
import { Generations } from './generations.ts'
import { type Limits, limits as ordinaryLimits } from './limits.ts'
import { LogThrottle } from './log-throttle.ts'
import { createAppendHistogram, exposeMetrics } from './metrics.ts'
import { OrderKeys } from './order-keys.ts'
import { Penalties } from './penalties.ts'
import { Presence } from './presence.ts'
import { Push } from './push.ts'
import { RecentDeliveries } from './recent-deliveries.ts'
import { createRedisLinks, type RedisLinks, unlink, untilLinked } from './redis-links.ts'
import { Registry } from './registry.ts'
import { Replies } from './replies.ts'
import { type SocketHandlers, type SocketServer, serveSockets } from './server.ts'
import { enforceGeneration, enforceGenerations, followInterval, sweep } from './sweep.ts'
import { Tickets } from './tickets.ts'
import { originOfUpgrade } from './waiting-slots.ts'

/** Agents hold waiting slots only for milliseconds, so a site full of agents can retry soon. */
const crowdedSeconds = 5

export interface Ingest extends Service {
  readonly port: number | undefined
  readonly health: HealthChecks
}

/** Builds the gateway of this process. Starts nothing before `run`. */
export function createIngest(
  config: IngestConfig,
  log: Log,
  metrics: MetricsRegistry,
  limits: Limits = ordinaryLimits,
): Ingest {
  const links = createRedisLinks(config.REDIS_URL, config.NODE_ID)
  const state = { isAnnouncementDue: false, isDraining: false }
  const onForgotten = () => {
    state.isAnnouncementDue = true
  }
  const gateway = createGateway(config, log, metrics, limits, links, onForgotten)
  const { commandStopsPollMs: pollMs, commandStopsStaleMs: staleMs } = limits
  const stops = new CommandStops({ redis: links.commands, log, pollMs, staleMs })
  const push = createPush({ config, links, gateway, stops })
  const admission = new Admission(config.ADMISSIONS_PER_SECOND, Date.now())
  const collect = engineCollector()
  const compaction = collect === undefined ? undefined : new Compaction(collect, limits)
  const knownHosts = new KnownHosts([config.INGEST_PUBLIC_URL], config.ALLOWED_HOSTS)
  let server: SocketServer | undefined
  let sweeping: NodeJS.Timeout | undefined

  async function everySecond(): Promise<void> {
    sweep(gateway, Date.now())
    if (gateway.tick % limits.replyTicks === 0) gateway.replies.forget()
    if (gateway.tick % limits.deliveredTicks === 0) gateway.delivered.forget()
    if (gateway.tick % limits.orderKeysTicks === 0) broadcastOrderKeys(gateway)
    if (compaction?.consider(gateway.counters.handshakes, gateway.registry.live)) log.debug('compacted the heap')
    const canAnnounce = state.isAnnouncementDue && !state.isDraining && !gateway.batches.isFailing
    if (!canAnnounce || gateway.batches.unsentBytes > limits.unsentBytesMax / 2) return
    state.isAnnouncementDue = false
    await announce(gateway)
  }

  return {
    name: 'sockets',
    get port() {
      return server?.port
    },
    health: {
      live: () => true,
      ready: async () => ({
        accepting: server !== undefined && !state.isDraining,
        redis: (await links.commands.ping()) === 'PONG',
      }),
    },
    async run() {
      await untilLinked(links)
      await gateway.generations.start()
      await gateway.presence.start()
      await stops.start()
      await push.start()
      server = await serveSockets(
        { host: config.INGEST_HOST, port: config.INGEST_PORT, path: agentPath, limits, knownHosts },
        createHandlers(gateway, admission, config, state),
      )
      sweeping = setInterval(() => void everySecond(), limits.sweepMs)
      log.info({ port: server.port, nodeId: config.NODE_ID }, 'accepting agents')
    },
    async drain() {
      state.isDraining = true
      server?.stopListening()
      await within(limits.drainFlushMs, gateway.batches.flush())
      await closeAll(gateway)
      await within(limits.drainFlushMs, gateway.batches.flush())
    },
    async stop() {
      clearInterval(sweeping)
      await push.stop()
      stops.stop()
      await gateway.presence.flush().catch(() => {})
      await gateway.presence.stop().catch(() => {})
      gateway.generations.stop()
      gateway.batches.stop()
      server?.close()
      unlink(links)
    },
  }
}

type Assembly = Gateway & { generations: Generations }

function createGateway(
  config: IngestConfig,
  log: Log,
  metrics: MetricsRegistry,
  limits: Limits,
  links: RedisLinks,
  onForgotten: () => void,
): Assembly {
  const { NODE_ID: nodeId, STREAM_SHARDS: shards } = config
  const counters = createCounters()
  const appends = createAppendHistogram(metrics)
  const keyring = readDeviceKeyring(config.DEVICE_KEYS_FILE)
  const gateway: Assembly = {
    limits,
    log,
    counters,
    tick: 0,
    returnWindowMs: 0,
    heartbeatMs: config.HEARTBEAT_SECONDS * 1000,
    logThrottle: new LogThrottle(limits.logEveryMs, limits.logKeysMax),
    orderKeys: new OrderKeys(config.DEVICE_KEYS_FILE, keyring, log),
    registry: new Registry(limits),
    backlog: new Backlog(limits),
    replies: new Replies(links.commands, limits.repliesMax),
    delivered: new RecentDeliveries(limits.deliveredMax),
    rates: createRates(config.DEVICE_FRAMES_PER_SECOND, limits),
    penalties: new Penalties(limits.penaltyMs, limits.penaltiesMax),
    certificates: new Certificates(keyring, limits.certificatesRemembered),
    tickets: new Tickets(keyring.tickets ?? [], limits),
    presence: new Presence({
      ...{ redis: links.commands, nodeId, limits, log, onForgotten },
      onClones: (deviceIds) => lockOut(links.commands, deviceIds),
    }),
    batches: new Batches({
      redis: links.appends,
      nodeId,
      shards,
      limits,
      counters,
      log,
      acknowledge: (connection, sequence) => acknowledge(gateway, connection, sequence),
      observeAppend: (seconds) => appends.observe(seconds),
      onEventLost: onForgotten,
    }),
    generations: new Generations({
      redis: links.commands,
      subscriber: links.subscriber,
      limits,
      log,
      onChange: (deviceId) => enforceGeneration(gateway, deviceId),
      onReload: () => enforceGenerations(gateway),
    }),
  }
  exposeMetrics(metrics, gateway)
  return gateway
}

interface PushParts {
  readonly config: IngestConfig
  readonly links: RedisLinks
  readonly gateway: Gateway
  readonly stops: CommandStops
}

function createPush({ config, links, gateway, stops }: PushParts): Push {
  return new Push({
    reader: links.reader,
    redis: links.commands,
    nodeId: config.NODE_ID,
    limits: gateway.limits,
    log: gateway.log,
    registry: gateway.registry,
    batches: gateway.batches,
    counters: gateway.counters,
    replies: gateway.replies,
    stops,
    delivered: gateway.delivered,
    logThrottle: gateway.logThrottle,
    unsignedUntilMs: config.UNSIGNED_AGENTS_UNTIL,
    send: (connection, frame) => send(gateway, connection, frame),
    close: closeOnRequest,
    interval: (connection, heartbeatMs) => followInterval(gateway, connection, heartbeatMs),
  })
}

function createHandlers(
  gateway: Gateway,
  admission: Admission,
  config: IngestConfig,
  state: { isDraining: boolean },
): SocketHandlers {
  const { registry, counters } = gateway
  return {
    admit(nowMs, peer, forwarded) {
      const origin = originOfUpgrade(peer, forwarded, config.TRUSTED_PROXIES)
      // First, so that an origin at its limit neither takes tokens nor delays others.
      if (registry.waiting.isShareTaken(origin)) return { retryAfterSeconds: Math.ceil(Math.random() * crowdedSeconds) }
      const isFull = registry.size >= config.SOCKETS_MAX || registry.waiting.isFull
      if (isFull || state.isDraining || !admission.take(nowMs))
        return { retryAfterSeconds: admission.retryAfterSeconds(nowMs) }
      return { connection: () => prepare(gateway, origin) }
    },
    open: (socket, connection) => open(gateway, socket, connection),
    message: (connection, frame, isBinary) => receive(gateway, connection, frame, isBinary, Date.now()),
    drain: (connection) => backlogShrank(gateway, connection),
    close: (connection, code) => onClosed(gateway, connection, code, Date.now()),
    refused(reason) {
      countBy(counters.refusedUpgrades, reason)
      // Agents connect under a name that this process does not know: the operator has to add it.
      if (reason === 'host' && gateway.logThrottle.shouldLog('host', performance.now()))
        gateway.log.warn('refused a request for an unknown host name; add it to INGEST_PUBLIC_URL or ALLOWED_HOSTS')
    },
  }
}

/** Waits for a promise, at most `timeoutMs`. */
async function within(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}
