import type { Command } from '@muster/wire/messages/command.ts'
import type { Reply } from '@muster/wire/messages/reply.ts'
import type { Request } from '@muster/wire/messages/request.ts'
import type { Result } from '@muster/wire/messages/result.ts'
import { z } from 'zod'
import type { Chance } from './chance.ts'
import type { Machine } from './machine.ts'
import { Refusal, type Tools } from './tools/tool.ts'

const Script = z.looseObject({ script: z.string() })

export interface Outcome {
  /** How long it takes. */
  readonly durationMs: number
  readonly output: string
  readonly result: Pick<Result, 'status' | 'exitCode' | 'stdout' | 'result' | 'error'>
  /** Whether the inventory is sent before the result. */
  readonly sendsInventory: boolean
}

/** The simulated outcome of a queued command. Nothing is executed: scripts get a plausible output. */
export function outcomeOf({ type, payload }: Command, machine: Machine, tools: Tools, chance: Chance): Outcome {
  if (type === 'refresh_inventory') {
    return {
      durationMs: chance.whole(300, 1_500),
      output: '',
      result: { status: 'completed', result: {} },
      sendsInventory: true,
    }
  }
  if (type === 'set_auto_update') {
    return {
      durationMs: 50,
      output: '',
      result: { status: 'completed', result: { ...payload } },
      sendsInventory: false,
    }
  }
  const script = Script.safeParse(payload)
  if (type === 'run_script' && script.success) return outputOf(script.data.script, machine, chance)
  const { status, result, error } = replyTo({ type, payload }, tools, machine)
  return { durationMs: chance.whole(50, 900), output: '', result: { status, result, error }, sendsInventory: false }
}

/** The reply of a simulated machine to a request of one of its tools. */
export function replyTo({ type, payload, data }: Omit<Request, 'timeoutMs'>, tools: Tools, machine: Machine): Reply {
  try {
    const answer = tools[type]
    if (answer === undefined) throw unsupported(type, machine)
    return { status: 'completed', ...answer(payload, Date.now(), data ?? new Uint8Array()) }
  } catch (error) {
    return { status: 'failed', error: error instanceof Error ? error.message : 'COMMAND_FAILED: the tool failed' }
  }
}

const unsupported = (type: string, { platform: { osType } }: Machine): Refusal =>
  type.includes('_registry_') && osType !== 'windows'
    ? new Refusal('UNSUPPORTED_PLATFORM', 'this machine has no registry; only Windows has one')
    : new Refusal('UNSUPPORTED_COMMAND', `a simulated machine does not support ${type}`)

/** A script may say on which simulated machines it fails: `# simulated failure: host-1 host-2`. */
const announcement = /^# simulated failure:(.*)$/m
const isAnnounced = (script: string): boolean => announcement.test(script)
const failsOn = (script: string, hostname: string): boolean =>
  announcement.exec(script)?.[1]?.split(' ').includes(hostname) === true

function outputOf(script: string, { inventory: { facts }, memoryBytes }: Machine, chance: Chance): Outcome {
  const lines = [`${facts.hostname}: ${facts.osName} ${facts.osVersion} (${facts.kernelVersion})`]
  if (/uptime/.test(script)) lines.push(` up ${chance.whole(1, 90)} days, load average: 0.${chance.whole(10, 99)}`)
  if (/\bdf\b|disk/i.test(script)) lines.push(`${chance.whole(15, 95)}% of the disk is in use`)
  if (/free|memory/i.test(script)) lines.push(`${Math.round(memoryBytes / 2 ** 30)} GiB of memory`)
  lines.push(`(simulated: ${script.length} characters of script were not executed)`)
  const isFine = isAnnounced(script)
    ? !failsOn(script, facts.hostname)
    : !/exit 1|\bfail/.test(script) && chance.percent(97)
  const output = `${lines.join('\n')}\n`
  return {
    durationMs: chance.whole(200, 3_000),
    output,
    result: { status: isFine ? 'completed' : 'failed', exitCode: isFine ? 0 : 1, stdout: output },
    sendsInventory: false,
  }
}
