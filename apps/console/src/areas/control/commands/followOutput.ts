import type { OutputEvent } from '@muster/areas/control/commands/output/output.contract.ts'
import { api, statusOf } from '../../../api.ts'
import { renew } from '../../../session/credential.ts'

interface Follower {
  take(event: OutputEvent): void
  cutOff(): void
  fail(error: unknown): void
}

const pauseMs = 1_000
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What writes the output: a command of a device, or the run of a script. */
export interface OutputSource {
  readonly kind: 'command' | 'execution'
  readonly id: string
  readonly deviceId: string
}

/** Follows output to its end. What was told before an interruption is not told again. */
export function followOutput({ kind, id, deviceId }: OutputSource, follower: Follower): () => void {
  const reached = { stdout: 0, stderr: 0 }
  let over = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = open()

  function open() {
    const listener = {
      onData: (event: OutputEvent) => {
        if (!over) take(event)
      },
      onConnectionStateChange: ({ state, error }: { readonly state: string; readonly error: unknown }) => {
        if (!over && state === 'connecting' && error) again()
      },
      onError: (error: unknown) => void refused(error),
    }
    return kind === 'command'
      ? api.devices.output.follow.subscribe({ id: deviceId, commandId: id, ...reached }, listener)
      : api.scripts.executions.output.subscribe({ id, ...reached }, listener)
  }

  function take(event: OutputEvent) {
    if (event.type === 'ended') end()
    if (event.type !== 'output') return follower.take(event)
    const bytes = encoder.encode(event.output)
    const isNew = bytes.subarray(Math.max(0, reached[event.stream] - event.offset))
    if (isNew.length === 0) return
    reached[event.stream] = event.offset + bytes.length
    follower.take({ ...event, output: decoder.decode(isNew) })
  }

  // A stream that comes back by itself would begin where this one began.
  function again() {
    running.unsubscribe()
    follower.cutOff()
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (!over) running = open()
    }, pauseMs)
  }

  async function refused(error: unknown) {
    if (over) return
    const status = statusOf(error)
    if (status === 401 && (await renew(null).catch(() => undefined)) === null) return
    if (status === 403 || status === 404) follower.fail(error)
    else again()
  }

  function end() {
    over = true
    clearTimeout(timer)
    // The stream is told off after the event that ended it was handed on.
    queueMicrotask(() => running.unsubscribe())
  }
  return end
}
