import { Worker } from 'node:worker_threads'
import type { Service } from './service.ts'

const beatMs = 250

/** Where the watching thread finds what this process has to say about itself. */
export const lastWordsSymbol = Symbol.for('muster.lastWords')

declare global {
  namespace NodeJS {
    interface Process {
      [lastWordsSymbol]?: () => object
    }
  }
}

/**
 * Watches the event loop of this thread from another thread. When it is blocked, the watcher pauses it, and logs its stack and the
 * state of the process, because this information is lost when the process is killed afterward.
 */
export function watchStalls(app: string, lastWords: () => object): Service {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    name: 'stalls',
    async run() {
      process[lastWordsSymbol] = lastWords
      worker = new Worker(new URL('./stalls.worker.ts', import.meta.url), { workerData: { app, beats } })
      // Watching is a help; that it failed is no reason to end.
      worker.on('error', () => undefined)
      worker.unref()
      timer = setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref()
    },
    async drain() {},
    async stop() {
      clearInterval(timer)
      await worker?.terminate()
    },
  }
}
