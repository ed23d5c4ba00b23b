// npm run release -- …: creates and signs releases. See `usage`.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '@muster/kit/config.ts'
import { ReleaseTarget } from '@muster/wire/release.ts'
import { z } from 'zod'
import { releaseSettings, storeOf } from './config.ts'
import { createReleaseKey, readReleaseKey, writeReleaseKey } from './keys.ts'
import { type Executable, Repository } from './repository.ts'

const usage = `usage: npm run release -- <command> …

  init      --keys <folder> [--release-keys <n>] [--threshold <n>]   creates the keys and an empty repository
  keys      --keys <folder> [--release-keys <n>]                     creates keys only, for rotate
  sign      --key <file>… <version> <os>-<arch>=<file>…              signs the executables of a version, and .msi files
  sign      --key <file>…                                            adds signatures to unpublished releases
  withdraw  --key <file>… <version>                                  withdraws a version
  timestamp --online <file>                                          publishes signed releases and renews the timestamp
  rotate    --key <trusted file>… --new-key <file>… --online <file> [--threshold <n>]
  list                                                               lists published releases

The repository is the folder --dir, or the location in RELEASES_DIR or RELEASES_S3_URL. RELEASE_PASSPHRASE
encrypts the offline keys that init creates, and decrypts them.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string' },
    keys: { type: 'string' },
    key: { type: 'string', multiple: true, default: [] },
    'new-key': { type: 'string', multiple: true, default: [] },
    online: { type: 'string' },
    threshold: { type: 'string', default: '1' },
    'release-keys': { type: 'string', default: '1' },
  },
})
const settings = readConfig(releaseSettings)
const offline = (files: readonly string[]) => files.map((file) => readReleaseKey(file, settings.RELEASE_PASSPHRASE))

function needed<T>(value: T | undefined | null): T {
  if (value === undefined || value === null || value === '') throw new Error(usage)
  return value
}

/** The names of systems that builds use. */
const systemNames: Readonly<Record<string, string>> = { win: 'windows', macos: 'darwin' }

/** Parses `linux-x64=./muster-agent` as an executable of that version. */
function executableOf(version: string, text: string): Executable {
  const [platform = '', file = ''] = text.split(/=(.*)/)
  const [system = '', arch] = platform.split('-')
  const format = file.endsWith('.msi') && 'msi'
  const target = ReleaseTarget.safeParse({
    version,
    os: systemNames[system] ?? system,
    arch,
    ...(format && { format }),
  })
  if (!target.success) throw new Error(`${version} ${platform}: ${z.prettifyError(target.error)}`)
  if (format === 'msi' && target.data.os !== 'windows') throw new Error(`${platform} has no MSI`)
  return { ...target.data, bytes: readFileSync(needed(file)) }
}

/** The offline keys for a signature. @throws Error naming a key that the repository does not trust */
async function trusted(repository: Repository, files: readonly string[]) {
  const keys = offline(files)
  for (const [index, key] of keys.entries())
    if (!(await repository.trusts(key))) throw new Error(`${files[index]} is not a release key of this repository`)
  return keys
}

function makeKeys() {
  const folder = needed(values.keys)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = Array.from({ length: Number(values['release-keys']) }, createReleaseKey)
  const online = createReleaseKey()
  for (const [index, key] of release.entries())
    writeReleaseKey(join(folder, `release-${index + 1}.pem`), key, settings.RELEASE_PASSPHRASE)
  writeReleaseKey(join(folder, 'online.pem'), online)
  return { folder, release, online }
}

async function init(repository: Repository): Promise<void> {
  const { folder, release, online } = makeKeys()
  await repository.begin({ release, threshold: Number(values.threshold), online })
  console.log(
    `The keys are in ${folder}. Move the release keys offline. Build agents with root.json as their trusted root.`,
  )
}

async function sign(repository: Repository, [version, ...files]: readonly string[]): Promise<void> {
  const keys = await trusted(repository, values.key)
  if (keys.length === 0) throw new Error(usage)
  if (version === undefined) {
    for (const key of keys) await repository.countersign(key)
    return
  }
  const executables = files.map((text) => executableOf(version, text))
  if (executables.length === 0) throw new Error(usage)
  for (const { path, sha256, size } of await repository.add(executables, keys)) console.log(`${sha256} ${size} ${path}`)
}

async function rotate(repository: Repository): Promise<void> {
  const online = readReleaseKey(needed(values.online))
  const release = offline(values['new-key'])
  await repository.rotate({ release, threshold: Number(values.threshold), online }, offline(values.key))
  await repository.renew(online)
}

async function main([command, ...words]: readonly string[]): Promise<void> {
  if (command === 'keys') return void makeKeys()
  const store = storeOf(values.dir === undefined ? settings : { ...settings, RELEASES_DIR: values.dir })
  const repository = new Repository(needed(store))
  if (command === 'init') await init(repository)
  else if (command === 'sign') await sign(repository, words)
  else if (command === 'withdraw') await repository.withdraw(needed(words[0]), await trusted(repository, values.key))
  else if (command === 'timestamp') await repository.renew(readReleaseKey(needed(values.online)))
  else if (command === 'rotate') await rotate(repository)
  else if (command === 'list') for (const { path, sha256 } of await repository.published()) console.log(sha256, path)
  else throw new Error(usage)
}

try {
  await main(positionals)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
