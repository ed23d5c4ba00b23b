// Stands in for thread/native-thread.ts in tests: calls on this thread, since the other one runs in the executable only.
import { nativeCalls } from '../thread/native-calls.ts'

export async function native(call: keyof typeof nativeCalls, args: readonly unknown[]): Promise<unknown> {
  const asked: (...args: never[]) => unknown = nativeCalls[call]
  return Reflect.apply(asked, undefined, args)
}
