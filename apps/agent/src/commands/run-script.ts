import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { stderrCharsMax, stdoutCharsMax } from '@muster/wire/limits.ts'
import type { z } from 'zod'
import { outputBytesMax, outputDrainMs, progressBytesMax, progressEveryMs, scriptGraceMs } from '../limits.ts'
import { pause } from '../pause.ts'
import type { Platform, RunningScript, ScriptEnd } from '../platform/platform.ts'
import { type CommandKind, type CommandRun, defineCommand, errorText, type Outcome } from './command.ts'
import { OutputCapture } from './output-capture.ts'

type Payload = z.infer<typeof RunScript>

/** Runs a script of the given language and returns its exit code and output. */
export function runScript(platform: Platform, scriptsDirectory: string): CommandKind {
  return defineCommand(RunScript, async (payload, run) => {
    if (payload.workingDirectory !== undefined && !(await isDirectory(payload.workingDirectory)))
      return failure('INVALID_PAYLOAD', `workingDirectory ${payload.workingDirectory} is not a folder on this machine`)
    const folder = join(scriptsDirectory, run.id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      return await runIn(folder, payload, run, platform)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

async function runIn(folder: string, payload: Payload, run: CommandRun, platform: Platform): Promise<Outcome> {
  const file = join(folder, 'script')
  await writeFile(file, payload.script, { mode: 0o600 })
  run.signal.throwIfAborted()
  const script = await platform.startScript({
    commandId: run.id,
    language: payload.language,
    file,
    args: payload.args,
    environment: payload.env,
    workingDirectory: payload.workingDirectory ?? folder,
  })
  if (script === undefined) return failure('INTERPRETER_NOT_FOUND', `${payload.language} is not installed`)
  return captureUntilEnd(script, run)
}

/** Captures output until the script has ended or was aborted. */
async function captureUntilEnd(script: RunningScript, run: CommandRun): Promise<Outcome> {
  const stdout = capture(script.stdout, Math.min(outputBytesMax, stdoutCharsMax))
  const stderr = capture(script.stderr, Math.min(outputBytesMax, stderrCharsMax))
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

function capture(stream: Readable, bytesMax: number): OutputCapture {
  const captured = new OutputCapture(bytesMax)
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
