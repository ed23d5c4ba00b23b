import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isExposed } from '@muster/wire/plaintext.ts'
import { z } from 'zod'
import { confirmMs } from './limits.ts'

/** The environment of this process, for values without a flag. */
export const environment: NodeJS.ProcessEnv = process.env

/** Makes a proxy the one of this process and of its child processes. */
export function useProxy(address: string): void {
  for (const name of ['https_proxy', 'http_proxy']) environment[name] = address
}

/** The command line is invalid; the message names each flag and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const webAddress = z.url({ protocol: /^https?$/, error: 'must look like https://muster.example.com' })
const socketAddress = z.url({ protocol: /^wss?$/, error: 'must look like wss://agents.example.com/agent' })

const Flags = z.object({
  server: webAddress.optional(),
  'key-stdin': z.boolean().default(false),
  'data-dir': z.string().min(1, 'must be a folder').optional(),
  ingest: socketAddress.optional(),
  proxy: z.url({ protocol: /^https?$/, error: 'must look like http://proxy.example.com:3128' }).optional(),
  'log-json': z.boolean().default(false),
  'allow-plaintext': z.boolean().default(false),
  'trusted-root': z.string().min(1, 'must be a file').optional(),
  'confirm-seconds': z.coerce
    .number({ error: 'must be a number of seconds' })
    .min(1)
    .max(3600)
    .default(confirmMs / 1000),
})

export interface Config {
  /** The address of the administration server to enroll at. */
  server: string | undefined
  key: string | undefined
  /** The enrollment key comes on standard input. */
  keyFromStdin: boolean
  dataDirectory: string
  /** Overrides the socket address from enrollment. */
  ingestUrl: string | undefined
  /** Overrides the proxy of the environment. */
  proxy: string | undefined
  logJson: boolean
  /** Allows unencrypted connections to server and ingest over a network. */
  allowPlaintext: boolean
  /** A file with the root that releases are verified from; overrides the one that this agent was built with. */
  trustedRoot: string | undefined
  /** How long the watchdog waits for a new version to be confirmed. */
  confirmMs: number
}

export const usage = `Usage: muster-agent [watchdog] [--server <url> --key-stdin] [--data-dir <folder>] [--ingest <url>] [--log-json]

  watchdog    starts the agent and watches it: restarts it and rolls back failed updates; takes the same flags
  install     (Windows) makes this executable a service: [--server <url>] [--proxy <url>] [--no-start], key in MUSTER_ENROLLMENT_KEY
  uninstall   (Windows) removes the service; --purge removes the data folder as well
  --server    address of the Muster server; required for enrollment
  --key-stdin reads the enrollment key from standard input; required for enrollment, unless MUSTER_ENROLLMENT_KEY is set
  --data-dir  folder for the identity and the journal of the agent (default: the usual folder of the system)
  --ingest    socket address, overrides the one from enrollment
  --proxy     HTTP proxy, overrides https_proxy and http_proxy; no_proxy lists exceptions
  --log-json  one JSON object per line instead of plain lines
  --allow-plaintext  allow unencrypted http: and ws: addresses beyond this machine; also ALLOW_PLAINTEXT=true
  --trusted-root     file with the root that releases are verified from; replaces the built-in one
  --confirm-seconds  time for a new version to reach the server before the watchdog rolls it back (default 60)
  --version, --help`

export type Invocation = { kind: 'run'; config: Config } | { kind: 'help' } | { kind: 'version' }

/** Reads the command line. `defaultDataDirectory` is the usual folder of the system. */
export function readCommandLine(
  args: readonly string[],
  defaultDataDirectory: string,
  given: NodeJS.ProcessEnv = environment,
): Invocation {
  const values = parseFlags(args)
  if (values.help === true) return { kind: 'help' }
  if (values.version === true) return { kind: 'version' }
  const parsed = Flags.safeParse(values)
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `--${issue.path.join('.')} ${issue.message}`).join('; '))
  const flags = parsed.data
  const allowPlaintext = flags['allow-plaintext'] || given.ALLOW_PLAINTEXT === 'true'
  requireEncryptedFlags(flags, allowPlaintext)
  return {
    kind: 'run',
    config: {
      server: flags.server?.replace(/\/+$/, ''),
      key: given.MUSTER_ENROLLMENT_KEY || undefined,
      keyFromStdin: flags['key-stdin'],
      dataDirectory: resolve(flags['data-dir'] ?? defaultDataDirectory),
      ingestUrl: flags.ingest,
      proxy: flags.proxy,
      logJson: flags['log-json'],
      allowPlaintext,
      trustedRoot: flags['trusted-root'],
      confirmMs: flags['confirm-seconds'] * 1000,
    },
  }
}

function requireEncryptedFlags(flags: z.infer<typeof Flags>, allowPlaintext: boolean): void {
  if (allowPlaintext) return
  for (const name of ['server', 'ingest'] as const) {
    const address = flags[name]
    if (address === undefined || !isExposed(address)) continue
    const secure = name === 'server' ? 'https:' : 'wss:'
    throw new ConfigError(`--${name} ${address} is not encrypted: give its ${secure} address, or add --allow-plaintext`)
  }
}

function parseFlags(args: readonly string[]) {
  if (args.some((arg) => /^--key(=|$)/.test(arg)))
    throw new ConfigError(
      '--key is not supported: every user of a machine can read command lines. Give the key on standard input with --key-stdin',
    )
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        server: { type: 'string' },
        'key-stdin': { type: 'boolean' },
        'data-dir': { type: 'string' },
        ingest: { type: 'string' },
        proxy: { type: 'string' },
        'log-json': { type: 'boolean' },
        'allow-plaintext': { type: 'boolean' },
        'trusted-root': { type: 'string' },
        'confirm-seconds': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
