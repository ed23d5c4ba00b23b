import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './redis-server.ts'

const slots = 16_384
const readyMs = 30_000

/** A Redis Cluster for one test: three masters, each on its own address, and a replica of the first. */
export interface OwnCluster {
  /** The address for `connectRedis`. */
  readonly address: string
  /** Kills the first master and waits until its replica has taken over its slots. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

interface Node {
  readonly host: string
  readonly port: number
  readonly busPort: number
  readonly child: ChildProcess
  readonly client: Redis
}

/** Starts servers that write every append to disk before they answer, and joins them to a cluster. */
export async function startOwnCluster(): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-cluster-'))
  const nodes: Node[] = []
  const stop = async () => {
    for (const { client } of nodes) client.disconnect()
    await Promise.all(nodes.map(({ child }) => killed(child)))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const host of ['127.0.1.1', '127.0.1.2', '127.0.1.3', '127.0.1.4']) nodes.push(await launch(host, folder))
    const [first, second, third, replica] = nodes
    if (!first || !second || !third || !replica) throw new Error('the cluster needs four servers')
    const masters = [first, second, third]
    await assemble(masters, replica)
    return {
      address: masters.map(({ host, port }) => `redis://${host}:${port}`).join(','),
      async failOver() {
        await killed(first.child)
        await replica.client.call('CLUSTER', 'FAILOVER', 'TAKEOVER')
        const isTaken = async ({ client }: Node) =>
          new RegExp(`${replica.host}:${replica.port}\\S* \\S*master`).test(String(await client.cluster('NODES')))
        for (const node of [second, third, replica]) await until(() => isTaken(node))
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function launch(host: string, folder: string): Promise<Node> {
  for (let attempt = 1; ; attempt++) {
    const [port, busPort] = [await freePort(), await freePort()]
    const settings = {
      bind: host,
      port,
      'cluster-port': busPort,
      'cluster-enabled': 'yes',
      'cluster-announce-ip': host,
      // A busy machine must not look like a dead server: the test decides when a server dies.
      'cluster-replica-no-failover': 'yes',
      'repl-diskless-sync-delay': 0,
      'cluster-config-file': `nodes-${port}.conf`,
      dir: folder,
      appenddirname: `append-${port}`,
      appendonly: 'yes',
      appendfsync: 'always',
      save: '',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
    const child = spawn('redis-server', args, { stdio: 'ignore' })
    const client = new Redis({ host, port, maxRetriesPerRequest: null, retryStrategy: () => 50 })
    client.on('error', () => undefined)
    const isUp = await Promise.race([client.ping().then(() => true), once(child, 'exit').then(() => false)])
    if (isUp) return { host, port, busPort, child, client }
    client.disconnect()
    if (attempt === 5) throw new Error(`redis-server does not start on ${host}`)
  }
}

async function assemble(masters: readonly Node[], replica: Node): Promise<void> {
  const share = Math.ceil(slots / masters.length)
  for (const [index, { client }] of masters.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
    await client.call('CLUSTER', 'ADDSLOTSRANGE', index * share, Math.min(slots, (index + 1) * share) - 1)
  }
  const [first, ...others] = masters
  for (const { host, port, busPort } of [...others, replica]) await first?.client.cluster('MEET', host, port, busPort)
  const id = String(await first?.client.call('CLUSTER', 'MYID'))
  for (const { client } of [...masters, replica])
    await until(async () => String(await client.cluster('NODES')).split('connected').length > masters.length + 1)
  await until(async () => (await replica.client.call('CLUSTER', 'REPLICATE', id)) === 'OK')
  await until(async () => /master_link_status:up/.test(await replica.client.info('replication')))
  for (const { client } of [...masters, replica]) await until(() => isWhole(client))
}

const isWhole = async (client: Redis) => /cluster_state:ok/.test(String(await client.cluster('INFO')))

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + readyMs
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`the cluster was not ready within ${readyMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
