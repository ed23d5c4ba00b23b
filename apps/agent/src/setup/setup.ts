// The commands `install` and `uninstall`: what installers run once the executable is in its place.
import { rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { usage } from '../config.ts'
import { forgetEnrollmentKey, keepEnrollmentKey, keptEnrollmentKey } from '../enrollment-key.ts'
import { exitCodes } from '../exit-codes.ts'
import { enrolledAt } from '../identity.ts'
import { readInvocation } from '../invocation.ts'
import { loadPlatform } from '../platform/load.ts'
import type { Platform, ServiceSetup } from '../platform/platform.ts'
import { Installation } from '../update/installation.ts'
import { enrollmentRefusal } from './first-enrollment.ts'

/** The command line lacks something that this machine needs. */
class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The installation cannot go on; the message is for the person who installs. */
class SetupRefused extends Error {
  override readonly name = 'SetupRefused'
}

const options = {
  server: { type: 'string' },
  proxy: { type: 'string' },
  'data-dir': { type: 'string' },
  'enrollment-key': { type: 'string' },
  'allow-plaintext': { type: 'boolean' },
  'no-start': { type: 'boolean' },
} as const

/** Makes this executable the service of the machine, or changes the service that is there. */
export function install(args: readonly string[]): Promise<void> {
  return attempt(args, async (setup, platform) => {
    const { values } = parseArgs({ args: [...args], options })
    // An installer passes on properties that are empty.
    const given = (name: 'server' | 'proxy' | 'data-dir') => (values[name] ? [`--${name}`, values[name]] : [])
    const plaintext = values['allow-plaintext'] === true ? ['--allow-plaintext'] : []
    const flags = [...given('server'), ...given('data-dir'), ...given('proxy'), ...plaintext]
    const invocation = readInvocation(flags, platform)
    if (invocation.kind !== 'run') throw new Error('unreachable')
    const { proxy, dataDirectory, key = values['enrollment-key'] } = invocation.config
    const isInstalled = await setup.isInstalled()
    const server = invocation.config.server ?? (isInstalled ? undefined : await enrolledAt(dataDirectory))
    if (server === undefined && !isInstalled) throw new UsageError('--server is needed')
    const isEnrolled = (await enrolledAt(dataDirectory)) !== undefined
    const restore = await storeKey(dataDirectory, key?.trim(), platform)
    const installation = Installation.ofProcess(process.execPath)
    const start = values['no-start'] !== true
    try {
      await setup.install({
        installation,
        flags: server === undefined ? undefined : ['--server', server, '--data-dir', dataDirectory, ...plaintext],
        environment: {
          NODE_USE_SYSTEM_CA: '1',
          ...(proxy === undefined ? {} : { https_proxy: proxy, http_proxy: proxy }),
        },
        start,
      })
      const refusal = start && !isEnrolled ? await enrollmentRefusal(setup, dataDirectory) : undefined
      if (refusal !== undefined) {
        if (!isInstalled) await setup.remove(installation)
        throw new SetupRefused(refusal)
      }
    } catch (error) {
      await restore()
      throw error
    }
  })
}

/** Removes the service, and what the agent has put beside its executable; with `--purge` its identity too. */
export function uninstall(args: readonly string[]): Promise<void> {
  return attempt(args, async (setup, platform) => {
    const { values } = parseArgs({ args: [...args], options: { purge: { type: 'boolean' } } })
    await setup.remove(Installation.ofProcess(process.execPath))
    if (values.purge !== true) return
    const data = platform.defaultDataDirectory()
    await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    // It may have other contents, or be missing.
    await rmdir(dirname(data)).catch(() => undefined)
  })
}

/** @returns what undoes it */
async function storeKey(directory: string, key: string | undefined, platform: Platform): Promise<() => Promise<void>> {
  await platform.closeFolder(directory)
  if (key === undefined || key === '') {
    const hasKey = (await enrolledAt(directory)) !== undefined || (await keptEnrollmentKey(directory)) !== undefined
    if (!hasKey) throw new SetupRefused('needs the enrollment key in MUSTER_ENROLLMENT_KEY')
    return async () => undefined
  }
  if (!/^[\w.-]+$/.test(key)) throw new SetupRefused('the enrollment key contains characters that no key has')
  await keepEnrollmentKey(directory, key)
  return () => forgetEnrollmentKey(directory)
}

async function attempt(
  args: readonly string[],
  work: (setup: ServiceSetup, platform: Platform) => Promise<void>,
): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  if (args.some((arg) => arg === '--help' || arg === '-h')) return void process.stdout.write(`${usage}\n`)
  try {
    const platform = await loadPlatform()
    if (platform.setup === undefined) throw new SetupRefused('install.sh installs the agent on this system')
    await work(platform.setup, platform)
  } catch (error) {
    const isUsage = isWrongCommandLine(error)
    process.exitCode =
      error instanceof SetupRefused ? exitCodes.refused : isUsage ? exitCodes.usage : exitCodes.unexpected
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${isUsage ? `\n${usage}\n` : ''}`)
  }
}

const isWrongCommandLine = (error: unknown): boolean =>
  error instanceof UsageError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))
