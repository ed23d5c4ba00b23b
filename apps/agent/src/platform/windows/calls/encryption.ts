import { dll, type Handle, koffi, memoryAt } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'

const multithreaded = 0
/** {886D8EEB-8CF2-4446-8D02-CDBA1DBDCF99}, the interface of a store of properties. */
const propertyStoreId = Buffer.from('eb8e6d88f28c46448d02cdba1dbdcf99', 'hex')
const property = 'System.Volume.BitLockerProtection'
const keyBytes = 20
const variantBytes = 24
const variantValueAt = 8
/** VT_I4 and VT_UI4 */
const numbers = [3, 19]
/** Places in the table of functions of the interface. */
const functions = { release: 2, getValue: 5 } as const

const release = koffi.proto('__stdcall', 'ReleaseStore', 'uint32_t', ['intptr_t'])
const getValue = koffi.proto('__stdcall', 'GetStoreValue', 'int32_t', ['intptr_t', 'void *', 'void *'])

function bindings() {
  // Loaded here, not with the other libraries: a reduced Windows lacks the shell.
  const [ole, shell, properties] = [dll('ole32'), dll('shell32'), dll('propsys')]
  return {
    initialize: ole.func<(reserved: null, how: number) => number>('CoInitializeEx', 'int32_t', ['void *', 'uint32_t']),
    keyOf: properties.func<(name: Buffer, key: Buffer) => number>('PSGetPropertyKeyFromName', 'int32_t', [
      'void *',
      'void *',
    ]),
    openStore: shell.func<(path: Buffer, context: null, flags: number, id: Buffer, store: Buffer) => number>(
      'SHGetPropertyStoreFromParsingName',
      'int32_t',
      ['void *', 'void *', 'int', 'void *', 'void *'],
    ),
  }
}

/**
 * The number that the shell has for the BitLocker protection of a volume such as `C:\\`; undefined when it does not tell.
 * It needs no rights, unlike the other interfaces of BitLocker.
 */
export function protectionOf(root: string): number | undefined {
  let shell: ReturnType<typeof bindings>
  try {
    shell = bindings()
  } catch {
    return undefined
  }
  // The thread keeps it: a second call changes nothing.
  shell.initialize(null, multithreaded)
  const [key, place] = [Buffer.alloc(keyBytes), Buffer.alloc(8)]
  if (shell.keyOf(wide(property), key) < 0) return undefined
  if (shell.openStore(wide(root), null, 0, propertyStoreId, place) < 0) return undefined
  const store = place.readBigInt64LE()
  if (store === 0n) return undefined
  try {
    const value = Buffer.alloc(variantBytes)
    const code = koffi.call(functionOf(store, functions.getValue), getValue, store, key, value)
    const isNumber = code === 0 && numbers.includes(value.readUInt16LE())
    return isNumber ? value.readInt32LE(variantValueAt) : undefined
  } finally {
    koffi.call(functionOf(store, functions.release), release, store)
  }
}

/** A function of an object of COM, which begins with the address of its table of functions. */
function functionOf(object: Handle, index: number): Handle {
  const table = memoryAt(object, 8).readBigUInt64LE()
  return memoryAt(table + BigInt(index * 8), 8).readBigUInt64LE()
}
