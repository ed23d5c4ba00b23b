import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { stderrCharsMax, stdoutCharsMax } from '@muster/wire/limits.ts'
import type { SecretValues } from '@muster/wire/sealing.ts'
import type { z } from 'zod'
import { outputBytesMax, outputDrainMs, progressBytesMax, progressEveryMs, scriptGraceMs } from '../limits.ts'
import type { ScriptGrants } from '../orders/script-grants.ts'
import type { ScriptSecrets } from '../orders/script-secrets.ts'
import { pause } from '../pause.ts'
import type { Platform, RunningScript, ScriptEnd } from '../platform/platform.ts'
import { type CommandKind, type CommandRun, defineCommand, errorText, type Outcome } from './command.ts'
import { OutputCapture } from './output-capture.ts'
import { SecretMask } from './secret-mask.ts'

type Payload = z.infer<typeof RunScript>

/** Runs a script that admin allowed, and returns its exit code and output. */
export function runScript(
  platform: Platform,
  scriptsDirectory: string,
  grants: Pick<ScriptGrants, 'faultOf'>,
  secrets: Pick<ScriptSecrets, 'open'>,
): CommandKind {
  return defineCommand(RunScript, async (payload, run) => {
    const fault = await grants.faultOf(run.grant, payload, run.timeoutMs)
    if (fault !== undefined) return failure(fault.code, fault.words)
    if (payload.workingDirectory !== undefined && !(await isDirectory(payload.workingDirectory)))
      return failure('INVALID_PAYLOAD', `workingDirectory ${payload.workingDirectory} is not a folder on this machine`)
    const opened = secrets.open(payload.secrets, run.sealed, run.id)
    if ('fault' in opened) return failure(opened.fault.code, opened.fault.words)
    const folder = join(scriptsDirectory, run.id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      return await runIn(folder, payload, opened.values, run, platform)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

async function runIn(
  folder: string,
  payload: Payload,
  secrets: SecretValues,
  run: CommandRun,
  platform: Platform,
): Promise<Outcome> {
  const file = join(folder, 'script')
  await writeFile(file, payload.script, { mode: 0o600 })
  run.signal.throwIfAborted()
  const script = await platform.startScript({
    commandId: run.id,
    runAs: payload.runAs,
    runAsUser: payload.runAsUser,
    language: payload.language,
    file,
    args: payload.args,
    environment: { ...payload.env, ...secrets },
    workingDirectory: payload.workingDirectory ?? folder,
  })
  if (script === undefined) return failure('INTERPRETER_NOT_FOUND', `${payload.language} is not installed`)
  try {
    return await captureUntilEnd(script, run, Object.values(secrets))
  } finally {
    await script.removeFiles?.()
  }
}

/** Captures output until the script has ended or was aborted. */
async function captureUntilEnd(script: RunningScript, run: CommandRun, hidden: readonly string[]): Promise<Outcome> {
  const capturing = (stream: Readable, charsMax: number) =>
    capture(stream, new OutputCapture(Math.min(outputBytesMax, charsMax), script.decoder?.(), new SecretMask(hidden)))
  const stdout = capturing(script.stdout, stdoutCharsMax)
  const stderr = capturing(script.stderr, stderrCharsMax)
  const showing = setInterval(() => show(run, stdout, stderr), progressEveryMs)
  const stopGuarding = endWhenAborted(script, run.signal)
  try {
    const end = await script.ended
    if (run.signal.aborted) script.kill()
    await Promise.all([drained(script.stdout), drained(script.stderr)])
    stdout.end()
    stderr.end()
    return { ...outcomeOf(end), ...outputs(stdout, stderr) }
  } catch (error) {
    return failure('SCRIPT_NOT_STARTED', error instanceof Error ? error.message : String(error))
  } finally {
    clearInterval(showing)
    stopGuarding()
  }
}

function capture(stream: Readable, captured: OutputCapture): OutputCapture {
  stream.on('data', (chunk: Buffer) => captured.write(chunk))
  stream.on('error', () => undefined)
  return captured
}

/** Sends new output, as long as it leaves the agent without queueing. */
function show(run: CommandRun, stdout: OutputCapture, stderr: OutputCapture): void {
  for (const [stream, captured] of [['stdout', stdout] as const, ['stderr', stderr] as const]) {
    const next = () => {
      const piece = captured.take(progressBytesMax)
      return piece === undefined ? undefined : { stream, ...piece }
    }
    while (run.show(next));
  }
}

function endWhenAborted(script: RunningScript, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    script.terminate()
    timer = setTimeout(() => script.kill(), scriptGraceMs)
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

// A process that the script left running may keep the pipe open without end.
async function drained(stream: Readable): Promise<void> {
  const done = new AbortController()
  const whole = finished(stream, { writable: false }).catch(() => undefined)
  await Promise.race([whole, pause(outputDrainMs, done.signal).catch(() => undefined)])
  done.abort()
  stream.destroy()
}

function outcomeOf({ exitCode, signal }: ScriptEnd): Outcome {
  const code = exitCode ?? undefined
  if (signal !== null)
    return { status: 'failed', exitCode: code, error: errorText('SIGNAL', `the script was ended by ${signal}`) }
  if (code === 0) return { status: 'completed', exitCode: 0 }
  return { status: 'failed', exitCode: code, error: errorText('EXIT_CODE', `the script ended with exit code ${code}`) }
}

function outputs(stdout: OutputCapture, stderr: OutputCapture) {
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    result: {
      truncated: stdout.truncated || stderr.truncated,
      stdoutBytes: stdout.totalBytes,
      stderrBytes: stderr.totalBytes,
    },
  }
}

function failure(code: Parameters<typeof errorText>[0], words: string): Outcome {
  return { status: 'failed', error: errorText(code, words) }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
