// Builds, signs, publishes and rolls out releases of the agent at a complete Muster.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect } from 'vitest'
import { buildExecutable, thisTarget } from '../../scripts/agent-build/executable.ts'
import type { Target } from '../../scripts/agent-build/targets.ts'
import type { Administrator } from './administrator.ts'

const releaseTool = fileURLToPath(new URL('../../packages/releases/src/release-cli.ts', import.meta.url))

export class Workshop {
  readonly #fleet: Administrator
  readonly #target: Target
  /** Keys and executables of the release signer. */
  readonly #folder: string
  readonly #owner: pg.Pool

  private constructor(fleet: Administrator, target: Target, folder: string) {
    this.#fleet = fleet
    this.#target = target
    this.#folder = folder
    this.#owner = new pg.Pool({ connectionString: fleet.stack.stores.urls.owner, max: 1 })
  }

  static async open(fleet: Administrator, target = thisTarget()): Promise<Workshop> {
    const workshop = new Workshop(fleet, target, await mkdtemp(join(tmpdir(), 'muster-workshop-')))
    await workshop.#release('init', '--keys', workshop.#folder)
    return workshop
  }

  /** Builds a version that trusts the releases of this workshop. @returns its path */
  async build(version: string, entry?: string): Promise<string> {
    const to = join(this.#folder, version)
    const trustedRoot = await readFile(join(this.#releases, 'metadata/root.json'), 'utf8')
    const release = { version, trustedRoot }
    await buildExecutable({ target: this.#target, release, to, ...(entry !== undefined && { entry }) })
    return to
  }

  /** Builds, signs and publishes a version; resolves when the server has registered it. */
  async publish(version: string, entry?: string): Promise<void> {
    const { os, arch } = this.#target
    const executable = `${os === 'win' ? 'windows' : os}-${arch}=${await this.build(version, entry)}`
    await this.#release('sign', '--key', join(this.#folder, 'release-1.pem'), version, executable)
    await this.#release('timestamp', '--online', join(this.#folder, 'online.pem'))
    const answer = await this.#fleet.must('POST', `/agent-versions/sync-upstream?version=${version}`)
    expect(answer).toMatchObject({ version, synced: [expect.stringMatching(/^agent:/)] })
  }

  /** With short stages. In production a stage takes at least ten minutes; only the devices matter here. */
  async rollOut(version: string) {
    const rollout = await this.#fleet.must('POST', '/agent-rollouts', { version, stages: [10, 100] })
    await this.#owner.query('UPDATE agent_rollouts SET stage_seconds = 0 WHERE id = $1', [rollout.id])
    return rollout
  }

  async close(): Promise<void> {
    await this.#owner.end()
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #releases(): string {
    return join(this.#fleet.stack.stores.folder.path, 'releases')
  }

  #release(...args: string[]) {
    return promisify(execFile)(process.execPath, [releaseTool, ...args, '--dir', this.#releases], {
      env: { ...process.env, RELEASE_PASSPHRASE: 'a passphrase' },
    })
  }
}
