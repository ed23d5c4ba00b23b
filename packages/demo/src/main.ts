// A fleet of simulated machines, for demonstrations: `npm start -- --demo 2000`.
import { mkdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError, readConfig } from '@muster/kit/config.ts'
import { sessionOf } from '@muster/stack/local-agent.ts'
import { z } from 'zod'
import { DemoAgent } from './agent.ts'
import { darknessAt } from './darkness.ts'
import { enrollAll } from './enrollment.ts'
import { type Place, placeOf } from './places.ts'
import { Roster } from './roster.ts'
import { addAutomations } from './samples/automations.ts'
import { addDeployments } from './samples/deployments.ts'
import { addDrift } from './samples/drift.ts'
import { addScripts } from './samples/scripts.ts'
import { makeTenants } from './tenants.ts'

const connectsPerTick = 20
const tickMs = 100
const darknessMs = 5_000

const Settings = z.object({
  DEMO_MACHINES: z.coerce.number().int().min(1).max(15_000),
  DEMO_FOLDER: z.string(),
  DEMO_SERVER: z.url(),
  DEMO_INGEST: z.url(),
  /** An administrator's access token, needed until all machines have enrolled. Its session is ended then. */
  DEMO_TOKEN: z.string().optional(),
})
const config = readConfig(Settings)
await mkdir(config.DEMO_FOLDER, { recursive: true, mode: 0o700 })
const roster = await Roster.open(config.DEMO_FOLDER)
const machines = Array.from({ length: config.DEMO_MACHINES }, (_, index) => index)
const missing = machines.filter((index) => !roster.has(index))
const agents: DemoAgent[] = []

function stop(): void {
  for (const agent of agents) agent.stop()
  process.exit(0)
}
process.on('SIGTERM', stop)
process.on('disconnect', stop)

function connect(machine: number): void {
  const agent = new DemoAgent(machine, config.DEMO_INGEST, roster)
  agents.push(agent)
  agent.connect()
}

const startedAt = Date.now()
setInterval(() => {
  const dark = darknessAt(Date.now() - startedAt)
  if (dark === null) return
  for (const agent of agents) if (placeOf(agent.index) === dark.place) agent.lose(dark.leftMs)
}, darknessMs).unref()

async function connectEnrolled(): Promise<void> {
  const known = machines.filter((index) => roster.has(index))
  for (let from = 0; from < known.length; from += connectsPerTick) {
    for (const machine of known.slice(from, from + connectsPerTick)) connect(machine)
    await pause(tickMs)
  }
}

async function enrollMissing(keys: ReadonlyMap<Place, string>): Promise<void> {
  await enrollAll({ server: config.DEMO_SERVER, machines: missing, keys, roster, enrolled: connect })
}

async function prepare(): Promise<ReadonlyMap<Place, string>> {
  const { DEMO_TOKEN: token, DEMO_SERVER: server } = config
  if (token === undefined) throw new ConfigError('DEMO_TOKEN is not set, and there are machines to enroll')
  return makeTenants(sessionOf(server, token), missing.length)
}

const keys: ReadonlyMap<Place, string> = missing.length === 0 ? new Map() : await prepare()
const connecting = connectEnrolled()
// The fleet can be used while it is still enrolling.
process.send?.({ ready: true })
await connecting
await enrollMissing(keys)
if (config.DEMO_TOKEN !== undefined) {
  const session = sessionOf(config.DEMO_SERVER, config.DEMO_TOKEN)
  // The fleet goes on without them, such as after the token has expired.
  const told = (what: string) => (error: unknown) =>
    process.stderr.write(`The ${what} of the demonstration were not created: ${error}\n`)
  if (missing.length > 0) {
    await addDeployments(session).catch(told('deployments'))
    await addAutomations(session).catch(told('automations'))
    await addDrift(session).catch(told('violations'))
    await addScripts(session).catch(told('scripts'))
  }
  await session.end().catch((error: unknown) => process.stderr.write(`The session was not ended: ${error}\n`))
}
