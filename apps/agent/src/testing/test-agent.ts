import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent } from '../agent.ts'
import { environment } from '../config.ts'
import { confirmMs } from '../limits.ts'
import { createLog } from '../log.ts'
import { pause } from '../pause.ts'
import { loadPlatform } from '../platform/load.ts'
import type { Platform, ScriptLanguage } from '../platform/platform.ts'
import type { FakeServer } from './fake-server.ts'

/**
 * The platform of the agents that a test file starts, and a language of its scripts; those of this machine unless the file
 * gives others.
 */
export const testPlatform: { given?: Platform; language: ScriptLanguage } = { language: 'sh' }

/** A temporary folder for one test; in memory, where supported, for a test that waits for the disk all the time. */
export async function temporaryFolder(inMemory = false): Promise<{ path: string } & AsyncDisposable> {
  const parent = inMemory && existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const path = await mkdtemp(join(parent, 'muster-agent-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

export interface TestAgent extends AsyncDisposable {
  agent: Agent
  /** Its log so far. */
  lines: string[]
  /** The first matching line, written already or later. */
  said(pattern: RegExp): Promise<string>
  /** Resolves when it has ended; rejects with its error. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** A complete agent inside the test process. */
export async function startAgent(
  server: string | undefined,
  dataDirectory: string,
  key = 'test-key',
): Promise<TestAgent> {
  const lines: string[] = []
  let listeners: (() => void)[] = []
  const hear = (line: string) => {
    lines.push(line.trimEnd())
    const woken = listeners
    listeners = []
    for (const wake of woken) wake()
  }
  const said = async (pattern: RegExp) => {
    for (;;) {
      const found = lines.find((line) => pattern.test(line))
      if (found !== undefined) return found
      await new Promise<void>((resolve) => listeners.push(resolve))
    }
  }
  const config = {
    ...{ server, key, dataDirectory, ingestUrl: undefined, proxy: undefined },
    ...{ keyFromStdin: false, allowPlaintext: false, logJson: false, trustedRoot: undefined, confirmMs },
  }
  const log = createLog(false, hear)
  const agent = await Agent.open({ config, platform: testPlatform.given ?? (await loadPlatform()), log })
  const ended = agent.run()
  // A test that expects a failure awaits it; for others it is in the log.
  ended.catch((error: unknown) => hear(String(error)))
  const stop = async () => {
    await agent.stop('the test is over')
    await ended.catch(() => undefined)
  }
  return { agent, lines, said, ended, stop, [Symbol.asyncDispose]: stop }
}

/** Whether a process runs; a zombie does not. */
export async function isRunning(pid: string): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== ''
}

/** Resolves when a process has ended. */
export async function hasEnded(pid: string): Promise<void> {
  while (await isRunning(pid)) await pause(20, new AbortController().signal)
}

export interface AgentProcess extends AsyncDisposable {
  pid: number
  output(): string
  kill(signal: NodeJS.Signals): void
  /** Exit code, or the signal that ended it. */
  exited: Promise<number | string>
}

/** A real agent process from the given entry file of this app. */
export function spawnAgent(
  entry: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): AgentProcess {
  const file = fileURLToPath(new URL(`../../${entry}`, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [file, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment, MUSTER_ENROLLMENT_KEY: 'test-key', ...env },
  })
  child.stdin?.end(input)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => {
      output += piece.toString()
    })
  const exited = new Promise<number | string>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  const pid = child.pid
  if (pid === undefined) throw new Error('The agent process could not be started')
  return {
    pid,
    output: () => output,
    kill: (signal) => child.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** An agent of this folder, once it has said hello to the server. */
export async function connectedAgent(server: FakeServer, path: string): Promise<TestAgent> {
  const before = server.hellos.length
  const made = await startAgent(server.url, path)
  await server.until(() => server.hellos.length > before && server.isConnected)
  return made
}
