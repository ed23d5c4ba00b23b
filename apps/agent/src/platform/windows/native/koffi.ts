import { addonFile } from './addon.ts'

/** An address or a handle. koffi gives small ones as a number. */
export type Handle = number | bigint

type Spec = string | object

interface Library {
  func<F>(convention: string, name: string, result: Spec, parameters: readonly Spec[]): F
}

/** The part of the addon that is used; its own loader would look for the addon in folders beside the executable. */
interface Koffi {
  load(path: string): Library
  proto(convention: string, name: string, result: Spec, parameters: readonly Spec[]): object
  pointer(type: Spec): object
  register(callback: (...args: never[]) => unknown, type: object): Handle
  call(address: Handle, type: object, ...args: unknown[]): unknown
  address(value: Buffer): Handle
  view(address: Handle, length: number): ArrayBuffer
  readonly decode: { string16(address: Handle): string }
}

function loadKoffi(): Koffi {
  const loaded = { exports: {} }
  process.dlopen(loaded, addonFile())
  // What the addon exports is declared above.
  return loaded.exports as Koffi
}

export const koffi: Koffi = loadKoffi()

/** Searches for a DLL only in the system's folder, for every later load in this process. */
const searchSystem32 = 0x800

const kernel = koffi.load('kernel32.dll')
const setDefaultDllDirectories = kernel.func<(flags: number) => number>(
  '__stdcall',
  'SetDefaultDllDirectories',
  'int',
  ['uint32_t'],
)
const getSystemDirectory = kernel.func<(buffer: Buffer, chars: number) => number>(
  '__stdcall',
  'GetSystemDirectoryW',
  'uint32_t',
  ['void *', 'uint32_t'],
)
setDefaultDllDirectories(searchSystem32)

function systemFolder(): string {
  const buffer = Buffer.alloc(1_024)
  return buffer.toString('utf16le', 0, 2 * getSystemDirectory(buffer, buffer.length / 2))
}

/** The folder of the system's programs and libraries, from the system itself rather than from the environment. */
export const system32: string = systemFolder()

/** How a function is declared: the C types of its result and its parameters. */
export interface Dll {
  func<F>(name: string, result: string, parameters: readonly string[]): F
}

/** A library of the system, by the path that only administrators can change. */
export function dll(name: string): Dll {
  const library = koffi.load(`${system32}\\${name}.dll`)
  return { func: (symbol, result, parameters) => library.func('__stdcall', symbol, result, parameters) }
}

/** The wide text at an address, up to its NUL; empty for no address. */
export const wideTextAt = (address: Handle): string => (Number(address) === 0 ? '' : koffi.decode.string16(address))

/** The bytes at an address. They are copied: the memory may be freed afterward. */
export function memoryAt(address: Handle, length: number): Buffer {
  return Buffer.from(Buffer.from(koffi.view(address, length)))
}
