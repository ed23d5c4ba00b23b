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

/** Follows the output of a command to its end. What was told before an interruption is not told again. */
export function followOutput(deviceId: string, commandId: string, follower: Follower): () => void {
  const reached = { stdout: 0, stderr: 0 }
  let over = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = open()

  function open() {
    return api.devices.output.follow.subscribe(
      { id: deviceId, commandId, ...reached },
      {
        onData: (event) => {
          if (!over) take(event)
        },
        onConnectionStateChange: ({ state, error }) => {
          if (!over && state === 'connecting' && error) again()
        },
        onError: (error) => void refused(error),
      },
    )
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
