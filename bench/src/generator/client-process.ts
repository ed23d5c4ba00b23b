import { type ChildProcess, fork } from 'node:child_process'
import type { z } from 'zod'
import { Answer } from './messages.ts'

const answerMs = 30_000

/** A child process that answers numbered requests: a part of the load generator, or a reference. */
export class ClientProcess {
  readonly #child: ChildProcess
  readonly #waiting: Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }> = new Map()
  #number = 0
  #isStopping = false

  constructor(file: string, args: readonly string[] = []) {
    this.#child = fork(file, [...args], { env: {}, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#child.on('message', (message) => {
      const { number, answer, error } = Answer.parse(message)
      const waiting = this.#waiting.get(number)
      this.#waiting.delete(number)
      if (error === undefined) waiting?.resolve(answer)
      else waiting?.reject(new Error(error))
    })
    this.#child.on('exit', (code, signal) => {
      const failure = new Error(`${file} ended (${signal ?? code})`)
      for (const { reject } of this.#waiting.values()) reject(failure)
      this.#waiting.clear()
      if (!this.#isStopping) process.emitWarning(failure.message)
    })
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  async ask<T>(request: object, answerSchema: z.ZodType<T>, withinMs = answerMs): Promise<T> {
    const number = ++this.#number
    const answered = new Promise<unknown>((resolve, reject) => {
      const overdue = setTimeout(() => reject(new Error(`no answer within ${withinMs} ms`)), withinMs)
      const settle = <V>(use: (value: V) => void) => {
        return (value: V) => {
          clearTimeout(overdue)
          use(value)
        }
      }
      this.#waiting.set(number, { resolve: settle(resolve), reject: settle(reject) })
    })
    this.#child.send({ number, request })
    return answerSchema.parse(await answered)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()))
    if (this.#child.connected) this.#child.disconnect()
    const overdue = setTimeout(() => this.#child.kill('SIGKILL'), 3_000)
    await gone
    clearTimeout(overdue)
  }
}
