import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'postject'
import { bundleScript } from '../../apps/agent/src/bundle-cli.ts'
import { addonAsset, threadAsset } from '../../apps/agent/src/platform/windows/assets.ts'
import { type Release, releaseAsset } from '../../apps/agent/src/release.ts'
import { stripSymbols } from './elf.ts'
import { dropExports } from './exports.ts'
import { isThere, made, pinnedFile } from './runtime.ts'
import type { SigningCertificate } from './signing-settings.ts'
import { blankStamp, stamp, writeExecutable } from './stamp.ts'
import { type Target, targetsNamed } from './targets.ts'
import { withProgram } from './windows-program.ts'
import { withResources } from './windows-resources.ts'
import { signForWindows } from './windows-signature.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const cache = join(root, '.muster/agent-build')
const agentEntry = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url))
const nativeThreadEntry = fileURLToPath(
  new URL('../../apps/agent/src/platform/windows/thread/native-thread-process.ts', import.meta.url),
)
/** Builds of earlier sources that are kept. */
const keptBuilds = 6
/** Increase it when a change of the build process changes the output. */
const recipe = 4
// In two parts, so that this text does not match the place in the runtime where it is replaced.
const fuse = ['NODE_SEA_FUSE', 'fce680ab2cc467b6e072b8b5df1996b2'].join('_')

/** Garbage can be collected on demand, one background thread suffices, and SIGUSR1 opens no debugger. */
const runtimeFlags = ['--expose-gc', '--v8-pool-size=1', '--disable-sigusr1']

export interface Wanted {
  target: Target
  release: Release
  /** The path of the executable. */
  to: string
  /** An entry point other than the agent's own. */
  entry?: string
  /** Files that take the place of modules, by the name that imports have. */
  standIns?: Readonly<Record<string, string>>
  /** Signs an executable for Windows. */
  certificate?: SigningCertificate | undefined
}

/** Builds an executable, or reuses the build of the same sources, and turns it into a release. */
export async function buildExecutable({ target, release, to, ...rest }: Wanted): Promise<void> {
  const built = await unreleased(target, rest)
  if (target.platform !== 'win32') return stamp(built, to, release)
  await stamp(built, to, release, (file) => withResources(file, release.version))
  // After everything else, because it covers the whole file.
  if (rest.certificate !== undefined) await signForWindows(to, rest.certificate)
}

/** The target of this machine. */
export function thisTarget(): Target {
  const [target] = targetsNamed([`${process.platform}-${process.arch}`])
  if (target === undefined) throw new Error('unreachable')
  return target
}

/** A complete executable without its release file. */
async function unreleased(target: Target, { entry = agentEntry, standIns }: Partial<Wanted>): Promise<string> {
  const folder = await mkdtemp(join(await made(join(cache, 'unfinished')), 'build-'))
  try {
    const script = join(folder, 'agent.cjs')
    await bundleScript(entry, script, target.platform, standIns)
    const assets = await assetsOf(target, folder)
    const inputs = createHash('sha256').update(JSON.stringify([target, recipe, runtimeFlags]))
    for (const file of [script, ...Object.values(assets)]) inputs.update(await readFile(file))
    const path = join(cache, `${target.os}-${target.arch}-${inputs.digest('hex').slice(0, 16)}`)
    if (await isThere(path)) return path
    const runtime = await pinnedFile(target.runtime, root, cache)
    const blob = await prepare(folder, script, target, assets)
    const isWindows = target.platform === 'win32'
    const whole = isWindows ? withProgram(await readFile(runtime), blob, fuse) : await injected(folder, runtime, blob)
    await writeExecutable(path, whole)
    await removeOld(`${target.os}-${target.arch}-`, path)
    return path
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function injected(folder: string, runtime: string, blob: Buffer): Promise<Buffer> {
  const whole = join(folder, 'whole')
  await writeExecutable(whole, stripSymbols(await readFile(runtime)))
  // On macOS this removes the signature of the runtime: scripts/sign-macos.sh adds another one.
  await quietly(() => inject(whole, 'NODE_SEA_BLOB', blob, { sentinelFuse: fuse, machoSegmentName: 'NODE_SEA' }))
  return dropExports(await readFile(whole))
}

/** Each takes a hundred megabytes. */
async function removeOld(prefix: string, current: string): Promise<void> {
  const names = (await readdir(cache)).filter((name) => name.startsWith(prefix) && join(cache, name) !== current)
  const aged = await Promise.all(
    names.map(async (name) => ({ path: join(cache, name), at: (await stat(join(cache, name))).mtimeMs })),
  )
  const old = aged.sort((a, b) => b.at - a.at).slice(keptBuilds)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}

/** The files inside the executable besides its program and its release. */
async function assetsOf(target: Target, folder: string): Promise<Record<string, string>> {
  if (target.addon === undefined) return {}
  const thread = join(folder, 'native-thread.cjs')
  await bundleScript(nativeThreadEntry, thread, target.platform)
  return { [addonAsset]: await pinnedFile(target.addon, root, cache), [threadAsset]: thread }
}

async function prepare(
  folder: string,
  script: string,
  target: Target,
  assets: Record<string, string>,
): Promise<Buffer> {
  const [stampFile, config, output] = [join(folder, 'stamp'), join(folder, 'sea.json'), join(folder, 'blob')]
  await writeFile(stampFile, blankStamp())
  const host = thisTarget()
  const settings = {
    main: script,
    output,
    disableExperimentalSEAWarning: true,
    // Created on the processor that will read it.
    useCodeCache: host.os === target.os && host.arch === target.arch,
    assets: { ...assets, [releaseAsset]: stampFile },
    execArgv: runtimeFlags,
  }
  await writeFile(config, JSON.stringify(settings))
  // Created by the runtime that will read it, with its flags: the code cache is for these.
  const runtime = await pinnedFile(host.runtime, root, cache)
  await promisify(execFile)(runtime, [...runtimeFlags, '--experimental-sea-config', config])
  return readFile(output)
}

// The library prints warnings about sections that do not matter here.
async function quietly(work: () => Promise<void>): Promise<void> {
  const { log, warn, error } = console
  const silent = () => undefined
  Object.assign(console, { log: silent, warn: silent, error: silent })
  await work().finally(() => Object.assign(console, { log, warn, error }))
}
