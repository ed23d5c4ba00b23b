import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@muster/kit/log.ts'
import type { Service } from '@muster/kit/service.ts'

/** A service that repeats work, `everyMs` after it last ended. The first of several failures is logged. */
export function periodic(
  name: string,
  everyMs: number | (() => number),
  log: Log,
  work: () => Promise<unknown>,
): Service {
  const stopping = new AbortController()
  let loop = Promise.resolve()
  let isFailing = false
  const once = async () => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, `${name} failed and is retried`)
      isFailing = true
    }
  }
  const repeat = async () => {
    while (!stopping.signal.aborted) {
      await once()
      await pause(typeof everyMs === 'number' ? everyMs : everyMs(), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      )
    }
  }
  return {
    name,
    async run() {
      loop = repeat()
    },
    async drain() {
      stopping.abort()
      await loop
    },
    async stop() {},
  }
}
