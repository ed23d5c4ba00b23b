/*
 * The thread that makes calls of the Win32 API which can block: a hanging driver, a service that does not answer or a domain
 * controller that is away stops this thread, and not the agent.
 */
import { parentPort } from 'node:worker_threads'
import { ToolFailure } from '../../../tool-failure.ts'
import { Win32Error } from '../native/errors.ts'
import { type NativeAnswer, type NativeRequest, nativeCalls } from './native-calls.ts'

function answer({ call, args }: NativeRequest): NativeAnswer {
  try {
    const asked: (...args: never[]) => unknown = nativeCalls[call]
    return { result: Reflect.apply(asked, undefined, args) }
  } catch (error) {
    const code = error instanceof ToolFailure ? error.code : error instanceof Win32Error ? 'COMMAND_FAILED' : undefined
    return { failed: { code, message: error instanceof Error ? error.message : String(error) } }
  }
}

parentPort?.on('message', (request: NativeRequest) => parentPort?.postMessage(answer(request)))
