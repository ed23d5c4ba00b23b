import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databaseRoles, withLogin } from '@muster/db/roles.ts'
import type { OperatorAccess } from '@muster/stack/operator-session.ts'
import { freePorts } from '@muster/stack/ports.ts'
import { identify, isRunning, type ProcessId } from '@muster/stack/process-id.ts'
import { openSecrets } from '@muster/stack/secrets.ts'

const script = fileURLToPath(new URL('../../packages/stack/src/start.ts', import.meta.url))

/** A data folder and free ports for the launchers of one test. */
export interface Place {
  readonly dataDir: string
  readonly ports: { readonly admin: number; readonly ingest: number; readonly metrics: number }
}

/** A new data folder and ports. */
export async function newPlace(): Promise<Place> {
  const [admin = 0, ingest = 0, metrics = 0] = await freePorts(6)
  return { dataDir: await mkdtemp(join(tmpdir(), 'muster-launcher-')), ports: { admin, ingest, metrics } }
}

/** A launcher as an operator starts it, seen from the terminal. */
export class Launcher {
  readonly #child: ChildProcess
  readonly #startedAt = performance.now()
  readonly #waiting = new Set<() => void>()
  /** Its exit code, once it has ended and all output was read. */
  readonly exited: Promise<number | null>
  output = ''
  errors = ''

  constructor(place: Place, settings: Record<string, string> = {}, args: readonly string[] = []) {
    const { PATH = '', HOME = '/' } = process.env
    const env = {
      PATH,
      HOME,
      MUSTER_DATA_DIR: place.dataDir,
      ADMIN_PORT: String(place.ports.admin),
      INGEST_PORT: String(place.ports.ingest),
      METRICS_PORT: String(place.ports.metrics),
      MUSTER_LOCAL_AGENT: '0',
      ...settings,
    }
    this.#child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
      for (const look of this.#waiting) look()
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
    })
    this.exited = new Promise((resolve) => this.#child.on('close', resolve))
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** Waits until its output matches. @throws when it ends before */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(this.output)
        if (match) {
          this.#waiting.delete(look)
          resolve(match)
        }
      }
      this.#waiting.add(look)
      look()
      void this.exited.then((code) =>
        reject(new Error(`The launcher ended (${code}) before it printed ${pattern}:\n${this.output}${this.errors}`)),
      )
    })
  }

  /** Waits for the last line of a start. @returns its duration */
  async ready(): Promise<number> {
    await this.says(/^ready http:\S+\n$/m)
    return performance.now() - this.#startedAt
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Stops it, as Ctrl-C or a service manager does. @returns its exit code */
  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM'): Promise<number | null> {
    this.kill(signal)
    return this.exited
  }
}

/** The access with which the owner of a data folder opens sessions while it runs. */
export async function operatorAccess({ dataDir }: Place): Promise<OperatorAccess> {
  const { keysFile, secrets } = await openSecrets(dataDir)
  const port = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[3]
  const owner = `postgres://muster@127.0.0.1:${port}/muster`
  return { urls: { system: withLogin(owner, databaseRoles.system, secrets.systemPassword) }, secretFiles: { keysFile } }
}

/** The processes of a place besides the launcher: Muster's own, PostgreSQL and Redis. */
export function processesOf({ dataDir }: Place): { processes: ProcessId[]; postgres: ProcessId; redis: ProcessId } {
  const lines = readFileSync(join(dataDir, 'processes.log'), 'utf8').trim().split('\n')
  const processes: ProcessId[] = lines.map((line) => JSON.parse(line))
  const [postgres = ''] = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')
  const redis = readFileSync(join(dataDir, 'redis/redis.pid'), 'utf8')
  return {
    processes: processes.filter(isRunning),
    postgres: identify(Number(postgres)),
    redis: identify(Number(redis)),
  }
}
