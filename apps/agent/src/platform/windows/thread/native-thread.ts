import { getAsset } from 'node:sea'
import { Worker } from 'node:worker_threads'
import { type ErrorCode, errorCodes } from '../../../error-code.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import { threadAsset } from '../assets.ts'
import type { NativeAnswer, NativeCalls, NativeRequest } from './native-calls.ts'

const threadsMax = 4
/** Threads whose call never returned. They cannot be ended; with more of them the machine is in a bad state. */
const hungMax = 8
const callTimeoutMs = 15_000
/** A thread without work ends, to return its memory. */
const idleMs = 30_000

interface Waiting {
  request: NativeRequest
  timeoutMs: number
  settle: (answer: NativeAnswer) => void
}

/** Threads that make blocking calls, started when there is work. */
class NativeThreads {
  readonly #idle: Worker[] = []
  readonly #waiting: Waiting[] = []
  #running = 0
  #hung = 0

  ask(request: NativeRequest, timeoutMs: number): Promise<NativeAnswer> {
    return new Promise((settle) => {
      this.#waiting.push({ request, timeoutMs, settle })
      this.#startNext()
    })
  }

  #startNext(): void {
    if (this.#running >= threadsMax) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    if (this.#hung >= hungMax) {
      const message = `${hungMax} calls of the system never returned; restart the machine`
      next.settle({ failed: { code: 'BUSY', message } })
      return
    }
    this.#running++
    this.#run(this.#idle.pop() ?? this.#create(), next)
  }

  #create(): Worker {
    const worker = new Worker(getAsset(threadAsset, 'utf8'), { eval: true })
    worker.unref()
    return worker
  }

  #run(worker: Worker, { request, timeoutMs, settle }: Waiting): void {
    let isOver = false
    const finish = (answer: NativeAnswer, canContinue: boolean) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      // By name: without the runtime's own listeners the thread would not be heard again.
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      this.#running--
      if (canContinue) this.#rest(worker)
      settle(answer)
      this.#startNext()
    }
    const timer = setTimeout(() => {
      finish({ failed: { code: 'TIMED_OUT', message: `the system did not answer within ${timeoutMs} ms` } }, false)
      this.#hung++
      // It ends if its call returns after all.
      worker.once('exit', () => this.#hung--)
      void worker.terminate()
    }, timeoutMs)
    worker.on('message', (answer: NativeAnswer) => finish(answer, true))
    worker.on('error', (error) => finish({ failed: { code: undefined, message: error.message } }, false))
    worker.on('exit', () => finish({ failed: { code: undefined, message: 'the native thread ended' } }, false))
    worker.postMessage(request)
  }

  #rest(worker: Worker): void {
    this.#idle.push(worker)
    const timer = setTimeout(() => {
      const at = this.#idle.indexOf(worker)
      if (at < 0) return
      this.#idle.splice(at, 1)
      void worker.terminate()
    }, idleMs)
    timer.unref()
  }
}

const threads = new NativeThreads()

/** Makes a call of the Win32 API on a thread of its own. @throws ToolFailure also when it takes too long */
export async function native<K extends keyof NativeCalls>(
  call: K,
  args: Parameters<NativeCalls[K]>,
  timeoutMs = callTimeoutMs,
): Promise<ReturnType<NativeCalls[K]>> {
  const answer = await threads.ask({ call, args }, timeoutMs)
  // The thread answers with what the call returned, whose type the name of the call tells.
  if ('result' in answer) return answer.result as ReturnType<NativeCalls[K]>
  const { code, message } = answer.failed
  const known: ErrorCode | undefined = errorCodes.find((each) => each === code)
  throw new ToolFailure(known ?? 'COMMAND_FAILED', message)
}
