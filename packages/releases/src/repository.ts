import { createHash } from 'node:crypto'
import { type ObjectStore, readSmall, replaceWith } from '@muster/files/object-store.ts'
import { ReleaseTarget, releaseTargetPath } from '@muster/wire/release.ts'
import { Metadata, MetadataKind, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp } from '@tufjs/models'
import type { ReleaseKey } from './keys.ts'
import { signSums } from './signed-sums.ts'
import type { SignedTarget } from './signed-target.ts'

/*
 * The signed metadata of releases in the format of The Update Framework, with consistent snapshots. The offline release keys
 * sign root and targets: what may run on devices. The online key signs snapshot and timestamp: which of it is the newest, so
 * that an attacker cannot freeze a device on old metadata for long.
 */

const specVersion = '1.0.31'
const day = 86_400_000
/** How long each kind of metadata is valid. */
export const lifetimes = { root: 730 * day, targets: 365 * day, snapshot: 30 * day, timestamp: day } as const

const rootVersionsMax = 10_000

/** An executable with its version and platform, or the installer around it. */
export interface Executable extends ReleaseTarget {
  readonly bytes: Uint8Array
}

type Json = Parameters<typeof Root.fromJSON>[0]

const metadataPath = (name: string) => `metadata/${name}`
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const until = (nowMs: number, lifetimeMs: number) => `${new Date(nowMs + lifetimeMs).toISOString().slice(0, 19)}Z`

/** The path of a target's bytes under `targets/`. */
export function targetFile(target: ReleaseTarget, hash: string): string {
  const path = releaseTargetPath(target)
  const slash = path.lastIndexOf('/')
  return `${path.slice(0, slash)}/${hash}.${path.slice(slash + 1)}`
}

/** The signers: the offline keys, how many of them are required, and the online key. */
export interface Signers {
  readonly release: readonly ReleaseKey[]
  readonly threshold: number
  readonly online: Pick<ReleaseKey, 'id' | 'tuf'>
}

function rootOf({ release, threshold, online }: Signers, version: number, nowMs: number): Root {
  if (threshold < 1 || threshold > release.length) throw new Error(`${threshold} of ${release.length} keys cannot sign`)
  const keys = Object.fromEntries([...release, online].map(({ id, tuf }) => [id, tuf.toJSON()]))
  const offline = { keyids: release.map(({ id }) => id), threshold }
  const signed = { keyids: [online.id], threshold: 1 }
  return Root.fromJSON({
    _type: MetadataKind.Root,
    spec_version: specVersion,
    version,
    expires: until(nowMs, lifetimes.root),
    consistent_snapshot: true,
    keys,
    roles: { root: offline, targets: offline, snapshot: signed, timestamp: signed },
  })
}

/** The signed releases in a store. */
export class Repository {
  readonly #store: ObjectStore
  readonly #nowMs: () => number

  constructor(store: ObjectStore, nowMs: () => number = Date.now) {
    this.#store = store
    this.#nowMs = nowMs
  }

  /** Creates a repository: its first root, without targets. @throws Error when there is one already */
  async begin(signers: Signers): Promise<void> {
    if ((await this.root()) !== null) throw new Error('This location already contains a repository')
    const root = new Metadata(rootOf(signers, 1, this.#nowMs()))
    for (const key of signers.release) root.sign(key.signature)
    await this.#writeRoot(root)
    await this.#writeTargets([], 1, signers.release)
  }

  /** The newest root; null without a repository. */
  async root(): Promise<Metadata<Root> | null> {
    let newest: Metadata<Root> | null = null
    for (let version = 1; version < rootVersionsMax; version++) {
      const json = await this.#read(`${version}.root.json`)
      if (json === null) return newest
      newest = Metadata.fromJSON(MetadataKind.Root, json)
    }
    return newest
  }

  /**
   * Signs executables in addition to those that are signed already, and stores them. Agents see them after the next
   * `renew`.
   */
  async add(executables: readonly Executable[], keys: readonly ReleaseKey[]): Promise<SignedTarget[]> {
    const before = await this.#targets()
    const added = executables.map(({ bytes, ...given }) => {
      const target = ReleaseTarget.parse(given)
      const hash = sha256(bytes)
      const earlier = before.signed.targets[releaseTargetPath(target)]
      if (earlier !== undefined && earlier.hashes.sha256 !== hash)
        throw new Error(`${releaseTargetPath(target)} is already signed with other content. Use a new version`)
      return { target, hash, bytes }
    })
    for (const { target, hash, bytes } of added)
      await replaceWith(this.#store, `targets/${targetFile(target, hash)}`, bytes)
    const made = added.map(({ target, hash, bytes }) => targetOf(target, hash, bytes.length))
    const all = new Map([...Object.values(before.signed.targets), ...made].map((target) => [target.path, target]))
    await this.#writeTargets([...all.values()], before.signed.version + 1, keys)
    const versions = added.map(({ target }) => target.version)
    await this.#signSums([...all.values()], keys, versions)
    return made.map(signedTarget)
  }

  /** Withdraws all executables of a version: agents no longer install it. */
  async withdraw(version: string, keys: readonly ReleaseKey[]): Promise<void> {
    const { signed } = await this.#targets()
    const left = Object.values(signed.targets).filter((target) => signedTarget(target).version !== version)
    await this.#writeTargets(left, signed.version + 1, keys)
  }

  /** Whether the key is one of those that sign executables. */
  async trusts(key: ReleaseKey): Promise<boolean> {
    const { signed } = await this.#root()
    return signed.roles.targets?.keyIDs.includes(key.id) ?? false
  }

  /** Adds a signature to the newest targets, for a threshold above one. */
  async countersign(key: ReleaseKey): Promise<void> {
    const targets = await this.#targets()
    targets.sign(key.signature)
    await this.#write(`${targets.signed.version}.targets.json`, targets)
    await this.#signSums(Object.values(targets.signed.targets), [key])
  }

  /** Rotates the keys of the repository. Signed by the previously trusted keys and by the new ones. */
  async rotate(signers: Signers, trusted: readonly ReleaseKey[]): Promise<void> {
    const before = await this.#root()
    const next = new Metadata(rootOf(signers, before.signed.version + 1, this.#nowMs()))
    for (const key of [...trusted, ...signers.release]) next.sign(key.signature)
    before.verifyDelegate(MetadataKind.Root, next)
    next.verifyDelegate(MetadataKind.Root, next)
    const { signed } = await this.#targets()
    const targets = Object.values(signed.targets)
    await this.#writeTargets(targets, signed.version + 1, signers.release)
    await this.#signSums(targets, signers.release)
    await this.#writeRoot(next)
  }

  /**
   * Signs the newest state with the online key: a new snapshot when the targets changed or the old one is about to expire, and
   * a timestamp. The targets must already have the signatures that the root requires.
   * @param withinMs does nothing while the timestamp is valid for longer than this; renews published metadata where newer
   * targets lack signatures
   * @returns whether it signed anything
   */
  async renew(online: ReleaseKey, withinMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    const nowMs = this.#nowMs()
    const root = await this.#root()
    const newest = await this.#targets()
    const timestamp = await this.#newestTimestamp()
    const before = timestamp === null ? null : await this.#snapshot(timestamp.signed.snapshotMeta.version)
    const published = before?.signed.meta['targets.json']?.version
    // Targets that wait for a second signature are not published, and do not block renewing what is published.
    const waits = Number.isFinite(withinMs) && published !== undefined && !isTrusted(root, newest)
    const targets = waits ? await this.#targets(published) : newest
    root.verifyDelegate(MetadataKind.Targets, targets)
    const isCurrent = published === targets.signed.version
    const left = (expires: string | undefined) => (expires === undefined ? -1 : Date.parse(expires) - nowMs)
    const keepsSnapshot = isCurrent && left(before?.signed.expires) > lifetimes.snapshot / 2 && signedBy(before, online)
    const keeps = keepsSnapshot && left(timestamp?.signed.expires) > withinMs && signedBy(timestamp, online)
    if (keeps) return false
    const version = before === null ? 1 : before.signed.version + (keepsSnapshot ? 0 : 1)
    if (!keepsSnapshot) {
      const meta = { 'targets.json': new MetaFile({ version: targets.signed.version }) }
      const snapshot = new Metadata(
        new Snapshot({ version, specVersion, expires: until(nowMs, lifetimes.snapshot), meta }),
      )
      snapshot.sign(online.signature)
      await this.#write(`${version}.snapshot.json`, snapshot)
    }
    const next = new Metadata(
      new Timestamp({
        version: (timestamp?.signed.version ?? 0) + 1,
        specVersion,
        expires: until(nowMs, lifetimes.timestamp),
        snapshotMeta: new MetaFile({ version }),
      }),
    )
    next.sign(online.signature)
    root.verifyDelegate(MetadataKind.Timestamp, next)
    await this.#write('timestamp.json', next)
    return true
  }

  /** The targets that agents can see: those of the newest snapshot. Empty before the first publication. */
  async published(): Promise<SignedTarget[]> {
    const timestamp = await this.#newestTimestamp()
    if (timestamp === null) return []
    const snapshot = await this.#snapshot(timestamp.signed.snapshotMeta.version)
    const targets = await this.#targets(snapshot.signed.meta['targets.json']?.version)
    const root = await this.#root()
    root.verifyDelegate(MetadataKind.Targets, targets)
    return Object.values(targets.signed.targets).map(signedTarget)
  }

  async #writeRoot(root: Metadata<Root>): Promise<void> {
    await this.#write(`${root.signed.version}.root.json`, root)
    // The newest under a fixed name, which installers can pin.
    await this.#write('root.json', root)
  }

  async #writeTargets(targets: readonly TargetFile[], version: number, keys: readonly ReleaseKey[]): Promise<void> {
    const all = Object.fromEntries(targets.map((target) => [target.path, target]))
    const expires = until(this.#nowMs(), lifetimes.targets)
    const made = new Metadata(new Targets({ version, specVersion, expires, targets: all }))
    for (const key of keys) made.sign(key.signature)
    await this.#write(`${version}.targets.json`, made)
  }

  async #signSums(targets: readonly TargetFile[], keys: readonly ReleaseKey[], versions?: readonly string[]) {
    const its = targets.map(signedTarget)
    await signSums(this.#store, its, versions ?? its.map(({ version }) => version), keys)
  }

  async #root(): Promise<Metadata<Root>> {
    const root = await this.root()
    if (root === null) throw new Error('This location contains no repository. Create one with `init`')
    return root
  }

  /** The targets of that version, or the newest ones, published or not. */
  async #targets(version?: number): Promise<Metadata<Targets>> {
    if (version !== undefined) return targetsOf(await this.#need(`${version}.targets.json`))
    const timestamp = await this.#newestTimestamp()
    const snapshot = timestamp === null ? null : await this.#snapshot(timestamp.signed.snapshotMeta.version)
    let newest = snapshot?.signed.meta['targets.json']?.version ?? 1
    while ((await this.#store.size(metadataPath(`${newest + 1}.targets.json`))) !== null) newest++
    return targetsOf(await this.#need(`${newest}.targets.json`))
  }

  async #snapshot(version: number): Promise<Metadata<Snapshot>> {
    return Metadata.fromJSON(MetadataKind.Snapshot, await this.#need(`${version}.snapshot.json`))
  }

  async #newestTimestamp(): Promise<Metadata<Timestamp> | null> {
    const json = await this.#read('timestamp.json')
    return json === null ? null : Metadata.fromJSON(MetadataKind.Timestamp, json)
  }

  async #read(name: string): Promise<Json | null> {
    const bytes = await readSmall(this.#store, metadataPath(name))
    return bytes === null ? null : JSON.parse(bytes.toString('utf8'))
  }

  async #need(name: string): Promise<Json> {
    const json = await this.#read(name)
    if (json === null) throw new Error(`The repository is incomplete: ${name} is missing`)
    return json
  }

  async #write(name: string, metadata: { toJSON(): unknown }): Promise<void> {
    await replaceWith(this.#store, metadataPath(name), Buffer.from(`${JSON.stringify(metadata.toJSON(), null, 1)}\n`))
  }
}

const targetsOf = (json: Json): Metadata<Targets> => Metadata.fromJSON(MetadataKind.Targets, json)

function isTrusted(root: Metadata<Root>, targets: Metadata<Targets>): boolean {
  try {
    root.verifyDelegate(MetadataKind.Targets, targets)
    return true
  } catch {
    return false
  }
}

const signedBy = (metadata: { signatures: Record<string, unknown> } | null, key: ReleaseKey) =>
  metadata !== null && Object.hasOwn(metadata.signatures, key.id)

const targetOf = (target: ReleaseTarget, hash: string, length: number) =>
  new TargetFile({
    path: releaseTargetPath(target),
    length,
    hashes: { sha256: hash },
    unrecognizedFields: { custom: { ...target } },
  })

function signedTarget({ path, custom, hashes, length }: TargetFile): SignedTarget {
  const target = ReleaseTarget.parse(custom)
  const hash = hashes.sha256 ?? ''
  return { ...target, path, file: targetFile(target, hash), sha256: hash, size: length }
}
