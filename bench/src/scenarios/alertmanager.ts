import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Receiver } from '../receiver.ts'
import { pause, until } from '../waiting.ts'
import { groupWaitSeconds, type Opening } from './alerts-offline.ts'

/** Of the Debian package prometheus-alertmanager. */
const program = '/usr/bin/prometheus-alertmanager'
/** As many as Prometheus sends at once, times ten. */
const alertsAtOnce = 640
const startMs = 20_000
const messagesMs = 60_000

export interface Notified {
  /** From the first alert to the last first message of a group. */
  readonly messageMs: number
  readonly messages: number
}

/**
 * The same alerts, posted to Alertmanager at the times when Muster opened them, until each group has its message. Null where it
 * is not installed.
 */
export async function throughAlertmanager(
  openings: readonly Opening[],
  receiver: Receiver,
  say: (line: string) => void,
): Promise<Notified | null> {
  if (!existsSync(program)) {
    say(`Alertmanager is not compared: ${program} is not installed (apt-get install prometheus-alertmanager)`)
    return null
  }
  const folder = await mkdtemp(join(tmpdir(), 'muster-alertmanager-'))
  const port = await freePort()
  const config = join(folder, 'config.yml')
  const channels = [...new Set(openings.map(({ partnerId }) => partnerId))]
  await writeFile(config, configOf(channels, receiver.url))
  const alertmanager = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.path=${folder}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  try {
    const url = `http://127.0.0.1:${port}`
    await until('Alertmanager', startMs, () => isReady(`${url}/-/ready`))
    receiver.received.splice(0)
    const startedMs = Date.now()
    await postAll(`${url}/api/v2/alerts`, openings, startedMs)
    const messages = () => receiver.received.filter(({ path }) => path.startsWith('/alertmanager/'))
    const firsts = () =>
      new Map(
        messages()
          .reverse()
          .map(({ path, atMs }) => [path, atMs]),
      )
    await until('the messages of Alertmanager', messagesMs, async () => {
      const count = firsts().size
      return count >= channels.length ? true : `${count} of ${channels.length} channels have one`
    })
    return { messageMs: Math.max(...firsts().values()) - startedMs, messages: messages().length }
  } finally {
    await ended(alertmanager)
    await rm(folder, { recursive: true, force: true })
  }
}

/** A route and a receiver for each channel. */
const configOf = (channels: readonly string[], url: string): string => `route:
  receiver: channel${channels[0]}
  group_by: [rule]
  group_wait: ${groupWaitSeconds}s
  group_interval: 5m
  repeat_interval: 4h
  routes:
${channels.map((channel) => `    - {receiver: channel${channel}, matchers: ['channel = "${channel}"']}`).join('\n')}
receivers:
${channels.map((channel) => `  - {name: channel${channel}, webhook_configs: [{url: '${url}/alertmanager/${channel}', send_resolved: false}]}`).join('\n')}
`

async function postAll(url: string, openings: readonly Opening[], startedMs: number): Promise<void> {
  let posted = 0
  for (const { afterMs, partnerId, count } of openings) {
    await pause(Math.max(0, startedMs + afterMs - Date.now()))
    for (let left = count; left > 0; left -= alertsAtOnce)
      await post(
        url,
        Array.from({ length: Math.min(left, alertsAtOnce) }, () => alertOf(partnerId, posted++)),
      )
  }
}

const alertOf = (channel: string, device: number): object => ({
  labels: { alertname: 'Offline together', rule: channel, channel, device: `host-${device}.example` },
  annotations: { summary: 'The device is offline' },
})

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`Alertmanager answered ${response.status} ${await response.text()}`)
}

const isReady = (url: string): Promise<true | string> =>
  fetch(url).then(
    ({ ok, status }) => (ok ? true : `it answers ${status}`),
    (error: Error) => error.message,
  )

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill()
  await Promise.race([once(child, 'exit'), pause(5_000)])
  child.kill('SIGKILL')
}
