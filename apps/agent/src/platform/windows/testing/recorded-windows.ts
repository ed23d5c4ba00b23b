// Stands in for native/koffi.ts in tests: functions of Windows answer as recorded or documented, and addresses are those of buffers.
import { wide } from '../native/layout.ts'

type Call = (...args: never[]) => number | bigint

/** The functions of Windows that a test answers for, by name. Any other call fails with its name. */
export const recorded = new Map<string, Call>()

export const record = (calls: Record<string, Call>) => {
  for (const [name, call] of Object.entries(calls)) recorded.set(name, call)
}

/** The code that GetLastError returns next. */
export const failure = { code: 0 }

/** A call that fails with a code. */
export const failing = (code: number) => () => {
  failure.code = code
  return 0
}

const buffers = new Map<bigint, Buffer>()
const addresses = new WeakMap<Buffer, bigint>()

/** The address of a buffer. */
export function addressOf(buffer: Buffer): bigint {
  const known = addresses.get(buffer)
  if (known !== undefined) return known
  const address = 0x1_0000n * BigInt(buffers.size + 1)
  buffers.set(address, buffer)
  addresses.set(buffer, address)
  return address
}

const bufferAt = (address: number | bigint) => buffers.get(BigInt(address)) ?? Buffer.alloc(0)
export const textOf = (text: Buffer): string => text.toString('utf16le').replace(/\0.*$/s, '')
export const addressOfText = (text: string) => addressOf(wide(text))

const usual: Record<string, Call> = {
  GetLastError: () => failure.code,
  FormatMessageW: () => 0,
  CloseHandle: () => 1,
  LocalFree: () => 0,
}

function answer(name: string, args: never[]): number | bigint {
  const call = recorded.get(name) ?? usual[name]
  if (call === undefined) throw new Error(`${name} was not recorded`)
  return call(...args)
}

/** Functions of this process that Windows may call, by their address. */
export const callbacks = new Map<bigint, (...args: number[]) => unknown>()

function register(callback: (...args: number[]) => unknown): bigint {
  const address = 0x10n * BigInt(callbacks.size + 1)
  callbacks.set(address, callback)
  return address
}

export const koffi = {
  address: addressOf,
  proto: () => ({}),
  pointer: () => ({}),
  register,
  // A call on another thread is answered when the test answers it.
  load: () => ({
    func: (_convention: string, name: string) =>
      Object.assign((...args: never[]) => answer(name, args), { async: (...args: never[]) => answer(name, args) }),
  }),
}
export const system32 = 'C:\\windows\\system32'
export const dll = () => ({
  func:
    (name: string) =>
    (...args: never[]) =>
      answer(name, args),
})
export const wideTextAt = (address: number | bigint) => textOf(bufferAt(address))
export const memoryAt = (address: number | bigint, length: number) => bufferAt(address).subarray(0, length)
