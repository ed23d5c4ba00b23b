// The launcher: starts a complete Muster on this machine and runs until it is stopped.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SchemaError } from '@muster/db/migrate.ts'
import { ConfigError } from '@muster/kit/config.ts'
import { childEnvironment, type LauncherConfig, readLauncherConfig } from './config.ts'
import { ensureConsole } from './console.ts'
import { reasonOf, StackError } from './failure.ts'
import { isEnrolled, isPassword, makeEnrollmentKey, type Session, sessionOf } from './local-agent.ts'
import { operatorSession } from './operator-session.ts'
import { freePort } from './ports.ts'
import { type Stack, startStack } from './stack.ts'
import { readArguments, usage } from './start-arguments.ts'

const demoMain = fileURLToPath(new URL('../../demo/src/main.ts', import.meta.url))
const agentMain = fileURLToPath(new URL('../../../apps/agent/agent.mjs', import.meta.url))

// The terminal, npm and our own bootstrap may each forward the same Ctrl-C.
const echoMs = 1_000

const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2))
  if (given === 'help') {
    say(usage)
    return
  }
  const { demo, outbox } = given
  const config = readLauncherConfig()
  say(`Starting Muster with data in ${config.MUSTER_DATA_DIR}`)
  const stop = listenForStop()
  // In parallel with the databases, because both take seconds.
  const built = buildConsole()
  built.catch(() => undefined)
  const stack = await launch(config, outbox ? randomBytes(32).toString('base64url') : undefined)
  await built.catch(async (error: unknown) => {
    await stack.stop()
    throw error
  })
  void stop.wanted.then(async (why) => {
    say(why)
    await stack.stop()
    process.exit(0)
  })
  void stack.stores.failed.then(async (reason) => {
    say(`✗ ${reason}. See the logs in ${stack.stores.folder.logs}.`)
    await stack.stop()
    process.exit(1)
  })
  if (stop.isWanted()) return
  await welcome(config, stack, demo)
}

function listenForStop() {
  let first: number | undefined
  const wanted = new Promise<string>((resolve) => {
    const hear = (why: string) => {
      first ??= Date.now()
      // A second request stops at once. Remaining processes stop by themselves after this one.
      if (Date.now() - first > echoMs) process.exit(1)
      resolve(why)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => hear('Stopping …'))
    process.once('disconnect', () => resolve('The parent process ended; stopping …'))
  })
  // A closed terminal accepts no more lines. The data must still be shut down properly.
  process.stdout.on('error', () => undefined)
  return { wanted, isWanted: () => first !== undefined }
}

async function buildConsole(): Promise<void> {
  const began = performance.now()
  const wasDue = await ensureConsole()
  if (wasDue) say(`✓ console built (${((performance.now() - began) / 1000).toFixed(1)} s)`)
}

async function launch(config: LauncherConfig, outboxToken: string | undefined): Promise<Stack> {
  const ports = {
    admin: config.ADMIN_PORT || (await freePort()),
    ingest: config.INGEST_PORT || (await freePort()),
    metrics: config.METRICS_PORT || (await freePort()),
  }
  const metricsPorts = Array.from({ length: 2 + config.INGEST_PROCESSES }, (_, index) => ports.metrics + index)
  return startStack({
    dataDir: config.MUSTER_DATA_DIR,
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    schema: config.AUTO_MIGRATE ? 'apply' : 'verify',
    ports,
    requiredPorts: [
      { port: ports.admin, setting: 'ADMIN_PORT', what: 'console and API' },
      { port: ports.ingest, setting: 'INGEST_PORT', what: 'agents' },
      ...metricsPorts.map((port) => ({ port, setting: 'METRICS_PORT', what: 'metrics' })),
    ],
    ingest: config.INGEST_PROCESSES,
    bootstrap: { email: config.BOOTSTRAP_EMAIL, password: config.BOOTSTRAP_PASSWORD },
    outboxToken,
    env: childEnvironment(),
    settings: {
      admin: {
        ENABLE_REGISTRATION: String(config.ENABLE_REGISTRATION),
        ENABLE_2FA: String(config.ENABLE_2FA),
        ALLOW_PLAINTEXT: String(config.ALLOW_PLAINTEXT),
        ...(config.PUBLIC_URL && { PUBLIC_URL: config.PUBLIC_URL }),
        ...(config.INGEST_PUBLIC_URL && { INGEST_PUBLIC_URL: config.INGEST_PUBLIC_URL }),
      },
      ingest: { ...(config.INGEST_PUBLIC_URL && { INGEST_PUBLIC_URL: config.INGEST_PUBLIC_URL }) },
      worker: {
        ALLOW_PLAINTEXT: String(config.ALLOW_PLAINTEXT),
        ...(config.PUBLIC_URL && { PUBLIC_URL: config.PUBLIC_URL }),
      },
    },
    onStep: (what, ms) => say(`✓ ${what} (${(ms / 1000).toFixed(1)} s)`),
    onNote: (line) => say(`  ${line}`),
  })
}

async function welcome(config: LauncherConfig, stack: Stack, demo: number): Promise<void> {
  const { admin, ingest } = stack.urls
  const { secrets, forgetBootstrapPassword } = stack.stores.secretFiles
  const agentFolder = join(stack.stores.folder.path, 'agent')
  const needsKey = config.MUSTER_LOCAL_AGENT && !isEnrolled(agentFolder)
  const token = needsKey ? await operatorToken(config, stack) : undefined
  const session = token === undefined ? undefined : sessionOf(admin, token)
  // The demonstration ends its session itself: it needs it until long after it is ready.
  if (demo > 0) await startDemo(stack, demo, await operatorToken(config, stack))
  if (config.MUSTER_LOCAL_AGENT) await startLocalAgent(stack, agentFolder, session)
  await session
    ?.end()
    .catch((error: unknown) =>
      say(`  The session of the launcher could not be ended and expires within 15 minutes:  ${reasonOf(error)}`),
    )
  const made = secrets.bootstrapPassword
  const password = made && (config.BOOTSTRAP_PASSWORD ?? made)
  const isRight = password && (await isPassword(admin, config.BOOTSTRAP_EMAIL, password))
  say('')
  say(`Console          ${config.PUBLIC_URL ?? admin}`)
  say(`API              ${config.PUBLIC_URL ?? admin}/api/v1`)
  say(`API reference    ${config.PUBLIC_URL ?? admin}/docs`)
  say(`Agents connect   ${config.INGEST_PUBLIC_URL ?? ingest}`)
  say(`Sign in as       ${config.BOOTSTRAP_EMAIL}`)
  if (isRight) {
    say(
      `Password         ${config.BOOTSTRAP_PASSWORD ? 'as set in BOOTSTRAP_PASSWORD' : `${password}  (shown only once)`}`,
    )
    if (config.ENABLE_2FA)
      say('Second factor    an authenticator app; the console asks you to enroll one at the first sign-in')
  }
  if (stack.urls.outbox) say(`\nOutbox ${stack.urls.outbox}`)
  await forgetBootstrapPassword()
  say('')
  say(`ready ${admin}`)
}

async function operatorToken(config: LauncherConfig, stack: Stack): Promise<string | undefined> {
  try {
    return await operatorSession(stack.stores, config.BOOTSTRAP_EMAIL)
  } catch (error) {
    say(`  ${reasonOf(error)}. Set BOOTSTRAP_EMAIL to the address of an administrator`)
    return undefined
  }
}

async function startDemo(stack: Stack, machines: number, token: string | undefined) {
  const env = {
    DEMO_MACHINES: String(machines),
    DEMO_FOLDER: join(stack.stores.folder.path, 'demo'),
    DEMO_SERVER: stack.urls.admin,
    DEMO_INGEST: stack.urls.ingest,
    ...(token && { DEMO_TOKEN: token }),
  }
  await stack.launch({ name: 'demo', file: demoMain, env })
  say(`  ${machines} simulated machines report to the partner Northwind IT`)
}

// Muster works without it, so a failure is reported and does not stop the start.
async function startLocalAgent(stack: Stack, folder: string, session: Session | undefined): Promise<void> {
  try {
    const enrolled = isEnrolled(folder)
    if (!enrolled && !session) {
      say('  This machine has no agent. Enroll one with `npm run agent`.')
      return
    }
    const key = enrolled || !session ? undefined : await makeEnrollmentKey(session, folder)
    await stack.launch({
      name: 'agent',
      file: agentMain,
      args: ['--server', stack.urls.admin, '--ingest', stack.urls.ingest, '--data-dir', folder],
      env: key ? { MUSTER_ENROLLMENT_KEY: key } : {},
    })
    say(`  This machine reports as ${hostname()}`)
  } catch (error) {
    say(`✗ The agent of this machine could not be started:  ${reasonOf(error)}`)
  }
}

try {
  await main()
} catch (error) {
  const expected = error instanceof StackError || error instanceof ConfigError || error instanceof SchemaError
  process.stderr.write(`✗ ${expected || !(error instanceof Error) ? reasonOf(error) : error.stack}\n`)
  process.exit(1)
}
